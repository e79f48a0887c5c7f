"""`arena verify`: plays recorded games again and compares."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from arena.cli.completion import run_names
from arena.cli.lookup import find, meant
from arena.cli.output import Screen, paragraph, print_json
from arena.cli.plan import LEGEND, balances
from arena.cli.progress import count
from arena.cli.untrusted import printable
from arena.errors import ArenaError
from arena.ladder.audit import is_ladder
from arena.ladder.audit import verify as verify_ladder
from arena.match import record
from arena.tournaments.expected import Coverage, listed
from arena.tournaments.proof import Wrong
from arena.tournaments.verify import Verified as VerifiedRun
from arena.tournaments.verify import prove
from arena.tournaments.verify import verify as verify_run

SHOWN = 50
"""Games that are not as written down and are named; JSON has all."""


class Different(Struct, frozen=True):
    """A game that does not come to what is written down."""

    game: int
    """Its number in the file, from 1."""
    error: str


class Verified(Struct, frozen=True):
    """What became of the games of a file."""

    games: int
    different: tuple[Different, ...]


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
    if meant(file):
        folder = find(file)
        if records:
            right = about_records(folder, records, as_json=as_json, quiet=quiet)
        else:
            right = about_run(folder, workers, as_json=as_json, quiet=quiet)
    elif records:
        raise ArenaError(f"{printable(str(file))} is not a run; --records belongs to a run")
    else:
        found = check(file)
        right = not found.different
        if as_json:
            print_json(found)
        elif not quiet:
            say(found)
    if not right:
        raise click.exceptions.Exit(1)


def about_run(folder: Path, workers: int | None, *, as_json: bool, quiet: bool) -> bool:
    """Verify a run and say what was found; whether all is right."""
    aside = Screen(stderr=True)
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
        say_run(Screen(), found)
    return found.right


def about_records(folder: Path, records: Path, *, as_json: bool, quiet: bool) -> bool:
    """Compare records with the hashes of a run and say what was found; whether all is right."""
    found = prove(folder, record.load(records))
    if as_json:
        print_json(found)
    elif not quiet:
        say_wrong(found.wrong)
        proven = found.records - len(found.wrong)
        given = count(found.records, "record")
        click.echo(f"{given}, of which {proven} match the hashes and the results that are kept")
    return not found.wrong


def say_wrong(wrong: Sequence[Wrong]) -> None:
    """Name the first games or blocks that are not as they should be."""
    for one in wrong[:SHOWN]:
        click.echo(printable(f"{one.where}: {one.error}"))
    if len(wrong) > SHOWN:
        click.echo(f"and {len(wrong) - SHOWN} more, which --json lists")


def say_run(console: Console, found: VerifiedRun) -> None:
    """What was found in a run, in words."""
    for wrong in found.run:
        click.echo(printable(wrong))
    say_wrong(found.wrong)
    games = f"{found.games} games in {found.blocks} blocks"
    if found.unrecorded:
        games += f", of which {found.unrecorded} have no records and could not be replayed"
    if found.right:
        rest = "all the others" if found.unrecorded else "all"
        click.echo(f"{games}, {rest} as written down, all deals from the seed committed to")
    else:
        click.echo(f"{games}, {len(found.run) + len(found.wrong)} things not as they should be")
    if found.coverage and found.coverage.missing > 0:
        click.echo(printable(lacking(found.coverage)))
    if found.hashed:
        click.echo(
            f"hash over the results up to night {found.hashed.night}: {found.hashed.results}"
        )
    if found.aside:
        blocks = "1 block" if found.aside == 1 else f"{found.aside} blocks"
        click.echo(f"{blocks} came out otherwise when played again; the first result counts")
    if found.fairness:
        console.print()
        console.print(balances(found.fairness))
        console.print()
        paragraph(console, LEGEND)


def lacking(coverage: Coverage) -> str:
    """What a run does not have of its plan, in words."""
    missing = f"{coverage.missing} of {count(coverage.planned, 'block')}"
    if coverage.ended == "settled":
        return f"stopped early, for the order was known: {missing} were not played"
    why = {
        "interrupted": ", it was interrupted",
        "failed": ", some could not be played",
        "part": ", it is one part of several",
    }
    return f"unfinished{why.get(str(coverage.ended), '')}: {missing} missing ({listed(coverage)})"


def check(file: Path) -> Verified:
    """Verify every game of a file."""
    games, different = 0, []
    for games, game in enumerate(record.load(file), 1):
        try:
            record.verify(game)
        except ArenaError as error:
            different.append(Different(games, printable(str(error))))
    return Verified(games, tuple(different))


def say(found: Verified) -> None:
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
