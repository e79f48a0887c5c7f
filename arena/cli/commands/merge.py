"""The command `arena merge`: combine runs of the same plan into one run."""

import shlex
from pathlib import Path

import click

from arena.cli.completion import complete_run
from arena.cli.find_run import find_run_folder
from arena.cli.output import print_json
from arena.sanitize import printable
from arena.store.merge import MergeConflict, MergeResult, merge_runs
from arena.store.search import ID_DIGITS

MAX_CONFLICTS = 20
"""Conflicts that are printed; JSON has more."""


@click.command(short_help="Make one run of several.")
@click.argument(
    "runs",
    metavar="RUN RUN...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=complete_run,
)
@click.option(
    "--out",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder of the new run, which must not be there yet.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def merge(runs: tuple[Path, ...], out: Path, *, as_json: bool) -> None:
    """Make one run of several that are of the same plan: settings, seed and bots are the same.

    A block that several of them have is taken once. If it came out otherwise in one of them, that
    is a conflict: one result is taken, the same whichever run is named first, and the other is
    noted in the new run. Exit status: 0, or 1 if there were conflicts.
    """
    if len(runs) < 2:
        raise click.UsageError("name at least two runs.")
    merged = merge_runs([find_run_folder(run) for run in runs], out)
    if as_json:
        print_json(merged)
    else:
        print_merged(merged, out)
    if merged.conflicts:
        raise click.exceptions.Exit(1)


def print_merged(merged: MergeResult, out: Path) -> None:
    """Print the result for a person."""
    for conflict in merged.named[:MAX_CONFLICTS]:
        click.echo(printable(conflict_text(conflict)))
    if merged.conflicts > MAX_CONFLICTS:
        click.echo(f"and {merged.conflicts - MAX_CONFLICTS} conflicts more")
    click.echo(
        f"{merged.blocks} blocks, {merged.games} games; {merged.duplicates} duplicates dropped, "
        f"{merged.conflicts} conflicts"
    )
    click.echo(printable(f"Standings: {shlex.join(['arena', 'standings', str(out)])}"))


def conflict_text(conflict: MergeConflict) -> str:
    """A conflict in a sentence: the first game with another result."""
    for turn, (kept, dropped) in enumerate(zip(conflict.results, conflict.others, strict=False)):
        if kept != dropped:
            return (
                f"conflict: {conflict.variant}, {', '.join(conflict.bots)}, game "
                f"{conflict.block[:ID_DIGITS]}-{turn}: {conflict.kept} has points "
                f"{list(kept.points)}, which stays, {conflict.dropped} has {list(dropped.points)}"
            )
    return (
        f"conflict: {conflict.variant}, block {conflict.block[:ID_DIGITS]}: {conflict.kept} has "
        f"{len(conflict.results)} games, which stay, {conflict.dropped} has {len(conflict.others)}"
    )
