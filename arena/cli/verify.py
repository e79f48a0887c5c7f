"""`arena verify`: plays recorded games again and compares."""

from pathlib import Path

import click
from msgspec import Struct

from arena.cli.output import print_json
from arena.cli.untrusted import printable
from arena.errors import ArenaError
from arena.match import record


class Different(Struct, frozen=True):
    """A game that does not come to what is written down."""

    game: int
    """Its number in the file, from 1."""
    error: str


class Verified(Struct, frozen=True):
    """What became of the games of a file."""

    games: int
    different: tuple[Different, ...]


@click.command(short_help="Play recorded games again and compare.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; the exit status tells.")
def verify(file: Path, *, as_json: bool, quiet: bool) -> None:
    """Play every game in FILE again and compare.

    FILE holds records, one on each line. All scores and ranks have to come out as they are written
    down. Exit status: 0 if they do, 1 if any game differs, 2 if the file cannot be read.
    """
    found = check(file)
    if as_json:
        print_json(found)
    elif not quiet:
        say(found)
    if found.different:
        raise click.exceptions.Exit(1)


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
