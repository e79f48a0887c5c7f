"""The command `arena verify`: replay recorded games and compare their results."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from arena.cli.commands.plan import FAIRNESS_LEGEND, fairness_table
from arena.cli.completion import run_names
from arena.cli.find_run import find_folder, refers_to_run
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.cli.progress import plural
from arena.errors import ArenaError
from arena.ladder.audit import is_ladder
from arena.ladder.audit import verify as verify_ladder
from arena.referee import record
from arena.sanitize import printable
from arena.tournaments.check_plan import Coverage, missing_text
from arena.tournaments.check_run import Mismatch
from arena.tournaments.verify import RunVerification as VerifiedRun
from arena.tournaments.verify import verify as verify_run
from arena.tournaments.verify import verify_dropped_records

MAX_LISTED = 50
"""Games that are not as written down and are named; JSON has all."""


class DifferentGame(Struct, frozen=True):
    """A game that does not come to what is written down."""

    game: int
    """Its number in the file, from 1."""
    error: str


class FileVerification(Struct, frozen=True):
    """What became of the games of a file."""

    games: int
    different: tuple[DifferentGame, ...]


@click.command(short_help="Play recorded games, or those of a run, again and compare.")
@click.argument(
    "file", metavar="FILE|RUN", type=click.Path(path_type=Path), shell_complete=run_names
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
    if refers_to_run(file):
        folder = find_folder(file)
        if records:
            right = verify_records(folder, records, as_json=as_json, quiet=quiet)
        else:
            right = verify_run_folder(folder, workers, as_json=as_json, quiet=quiet)
    elif records:
        raise ArenaError(f"{printable(str(file))} is not a run; --records belongs to a run")
    else:
        found = verify_file(file)
        right = not found.different
        if as_json:
            print_json(found)
        elif not quiet:
            print_file(found)
    if not right:
        raise click.exceptions.Exit(1)


def verify_run_folder(folder: Path, workers: int | None, *, as_json: bool, quiet: bool) -> bool:
    """Verify a run and say what was found; whether all is right."""
    aside = SafeConsole(stderr=True)
    columns = ("verifying", BarColumn(), MofNCompleteColumn(), "blocks", TimeRemainingColumn())
    hidden = quiet or as_json or not aside.is_terminal
    verify_all = verify_ladder if is_ladder(folder) else verify_run
    with Progress(*columns, console=aside, transient=True, disable=hidden) as progress:
        task = progress.add_task("", total=None)
        found = verify_all(
            folder,
            lambda done, total: progress.update(task, completed=done, total=total),
            workers,
        )
    if as_json:
        print_json(found)
    elif not quiet:
        print_run(SafeConsole(), found)
    return found.is_correct


def verify_records(folder: Path, records: Path, *, as_json: bool, quiet: bool) -> bool:
    """Compare records with the hashes of a run and say what was found; whether all is right."""
    found = verify_dropped_records(folder, record.load(records))
    if as_json:
        print_json(found)
    elif not quiet:
        print_mismatches(found.wrong)
        proven = found.records - len(found.wrong)
        given = plural(found.records, "record")
        click.echo(f"{given}, of which {proven} match the hashes and the results that are kept")
    return not found.wrong


def print_mismatches(wrong: Sequence[Mismatch]) -> None:
    """Name the first games or blocks that are not as they should be."""
    for one in wrong[:MAX_LISTED]:
        click.echo(printable(f"{one.where}: {one.error}"))
    if len(wrong) > MAX_LISTED:
        click.echo(f"and {len(wrong) - MAX_LISTED} more, which --json lists")


def print_run(console: Console, found: VerifiedRun) -> None:
    """What was found in a run, in words."""
    for wrong in found.run:
        click.echo(printable(wrong))
    print_mismatches(found.wrong)
    games = f"{found.games} games in {found.blocks} blocks"
    if found.unrecorded:
        games += f", of which {found.unrecorded} have no records and could not be replayed"
    if found.is_correct:
        rest = "all the others" if found.unrecorded else "all"
        click.echo(f"{games}, {rest} as written down, all deals from the seed committed to")
    else:
        click.echo(f"{games}, {len(found.run) + len(found.wrong)} things not as they should be")
    if found.coverage and found.coverage.missing > 0:
        click.echo(printable(coverage_text(found.coverage)))
    if found.hashed:
        click.echo(
            f"hash over the results up to night {found.hashed.night}: {found.hashed.results}"
        )
    if found.aside:
        blocks = "1 block" if found.aside == 1 else f"{found.aside} blocks"
        click.echo(f"{blocks} came out otherwise when played again; the first result counts")
    if found.fairness:
        console.print()
        console.print(fairness_table(found.fairness))
        console.print()
        print_paragraph(console, FAIRNESS_LEGEND)


def coverage_text(coverage: Coverage) -> str:
    """What a run does not have of its plan, in words."""
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


def verify_file(file: Path) -> FileVerification:
    """Verify every game of a file."""
    games, different = 0, []
    for games, game in enumerate(record.load(file), 1):
        try:
            record.verify_record(game)
        except ArenaError as error:
            different.append(DifferentGame(games, printable(str(error))))
    return FileVerification(games, tuple(different))


def print_file(found: FileVerification) -> None:
    """The result in words."""
    games = "1 game" if found.games == 1 else f"{found.games} games"
    for game in found.different:
        click.echo(f"game {game.game}: {game.error}")
    if found.different:
        click.echo(f"{games}, {len(found.different)} not as written down")
    elif found.games == 1:
        click.echo("1 game, as written down")
    else:
        click.echo(f"{games}, all as written down")
