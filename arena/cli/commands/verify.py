"""The command `arena verify`: replay recorded games and compare their results."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from arena.cli.commands.plan import FAIRNESS_LEGEND, fairness_table
from arena.cli.completion import complete_run
from arena.cli.find_run import find_run_folder, refers_to_run
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.errors import ArenaError
from arena.ladder.registry import is_ladder
from arena.ladder.verify import verify_ladder
from arena.referee import record
from arena.sanitize import printable
from arena.text import plural
from arena.tournaments.check_run import Mismatch
from arena.tournaments.plan_coverage import Coverage, missing_text
from arena.tournaments.verify import (
    FileVerification,
    RecordVerification,
    RunVerification,
    verify_dropped_records,
    verify_file,
    verify_run,
)

MAX_LISTED = 50
"""Mismatches that are printed; JSON has all."""


@click.command(short_help="Play recorded games, or those of a run, again and compare.")
@click.argument(
    "file", metavar="FILE|RUN", type=click.Path(path_type=Path), shell_complete=complete_run
)
@click.option("--workers", type=click.IntRange(min=1), help="Cores to use for a run; usually all.")
@click.option(
    "--records",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file with copies of records that a ladder has dropped; verify only these.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; the exit status tells.")
def verify(
    file: Path, *, workers: int | None, records: Path | None, as_json: bool, quiet: bool
) -> None:
    """Play every game in FILE, or of a RUN, again and compare.

    FILE holds records, one on each line. All scores and ranks have to come out as they are written
    down. For a RUN the command also checks that the file itself is intact, that it holds the blocks
    of its plan and no others, that all deals and seatings come from its seed, and that the figures
    behind the standings are those of its games; and it prints how fair the games were.

    A ladder drops the records of old versions and keeps their hashes. Such games cannot be replayed
    and are counted; their results are compared with the hash that was made when their night was
    over. With --records only such games are verified, from copies of their records.

    Exit status: 0 if all is right, 1 if any game differs, 2 if the file cannot be read.
    """
    result: RunVerification | RecordVerification | FileVerification
    if refers_to_run(file):
        folder = find_run_folder(file)
        if records:
            result = verify_dropped_records(folder, record.load_records(records))
        else:
            result = verify_run_folder(folder, workers, quiet=quiet or as_json)
    elif records:
        raise ArenaError(f"{printable(str(file))} is not a run; --records belongs to a run")
    else:
        result = verify_file(file)
    if as_json:
        print_json(result)
    elif not quiet:
        print_result(result)
    if not result.is_correct:
        raise click.exceptions.Exit(1)


def verify_run_folder(folder: Path, workers: int | None, *, quiet: bool) -> RunVerification:
    """Verify a run or a ladder, with a progress bar on stderr if that is a terminal."""
    console = SafeConsole(stderr=True)
    columns = ("verifying", BarColumn(), MofNCompleteColumn(), "blocks", TimeRemainingColumn())
    verify_all = verify_ladder if is_ladder(folder) else verify_run
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None)
        return verify_all(
            folder,
            lambda done, total: progress.update(task, completed=done, total=total),
            workers,
        )


def print_result(result: RunVerification | RecordVerification | FileVerification) -> None:
    """Print the result for people."""
    if isinstance(result, RunVerification):
        print_run(SafeConsole(), result)
    elif isinstance(result, RecordVerification):
        print_records(result)
    else:
        print_file(result)


def print_records(result: RecordVerification) -> None:
    """Print the result of verifying copies of dropped records."""
    print_mismatches(result.wrong)
    correct = result.records - len(result.wrong)
    records = plural(result.records, "record")
    click.echo(f"{records}, of which {correct} match the hashes and the results that are kept")


def print_mismatches(wrong: Sequence[Mismatch]) -> None:
    """Print the first mismatches."""
    for mismatch in wrong[:MAX_LISTED]:
        click.echo(printable(f"{mismatch.where}: {mismatch.error}"))
    if len(wrong) > MAX_LISTED:
        click.echo(f"and {len(wrong) - MAX_LISTED} more, which --json lists")


def print_run(console: Console, result: RunVerification) -> None:
    """Print the result of verifying a run."""
    for error in result.run:
        click.echo(printable(error))
    print_mismatches(result.wrong)
    games = f"{result.games} games in {result.blocks} blocks"
    if result.unrecorded:
        games += f", of which {result.unrecorded} have no records and could not be replayed"
    if result.is_correct:
        rest = "all the others" if result.unrecorded else "all"
        click.echo(f"{games}, {rest} as written down, all deals from the seed committed to")
    else:
        click.echo(f"{games}, {len(result.run) + len(result.wrong)} things not as they should be")
    if result.coverage and result.coverage.missing > 0:
        click.echo(printable(coverage_text(result.coverage)))
    if result.hashed:
        click.echo(
            f"hash over the results up to night {result.hashed.night}: {result.hashed.results}"
        )
    if result.aside:
        blocks = plural(result.aside, "block")
        click.echo(f"{blocks} came out otherwise when played again; the first result counts")
    if result.fairness:
        console.print()
        console.print(fairness_table(result.fairness))
        console.print()
        print_paragraph(console, FAIRNESS_LEGEND)


def coverage_text(coverage: Coverage) -> str:
    """The missing blocks of a plan, and why they are missing."""
    missing = f"{coverage.missing} of {plural(coverage.planned, 'block')}"
    if coverage.ended == "settled":
        return f"stopped early, for the order was known: {missing} were not played"
    why = {
        "interrupted": ", it was interrupted",
        "failed": ", some could not be played",
        "part": ", it is one part of several",
    }
    return (
        f"unfinished{why.get(str(coverage.ended), '')}: {missing} missing "
        f"({missing_text(coverage)})"
    )


def print_file(result: FileVerification) -> None:
    """Print the result of verifying a file of records."""
    games = plural(result.games, "game")
    for game in result.different:
        click.echo(f"game {game.game}: {game.error}")
    if result.different:
        click.echo(f"{games}, {len(result.different)} not as written down")
    elif result.games == 1:
        click.echo("1 game, as written down")
    else:
        click.echo(f"{games}, all as written down")
