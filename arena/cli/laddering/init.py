"""`arena ladder init`: a new ladder."""

import re
import shlex
from pathlib import Path

import click

from arena.cli.completion import variant_names
from arena.cli.laddering.place import ladder_argument
from arena.cli.output import Screen
from arena.cli.progress import count
from arena.cli.untrusted import printable
from arena.cli.walls import warn
from arena.errors import ArenaError
from arena.ladder.folder import Ladder, make
from arena.ladder.founding import VARIANTS, join_references, text

LONGEST_NAME = 40


@click.command(short_help="Make a ladder.")
@ladder_argument
@click.option(
    "--variants",
    multiple=True,
    metavar="NAME",
    shell_complete=variant_names,
    help="A variant or a pattern such as 'sticheln+*', or all; may be repeated. "
    f"By default {', '.join(VARIANTS)}.",
)
@click.option(
    "--seats",
    default="3,4",
    show_default=True,
    help="Numbers of seats with commas between them, or all.",
)
@click.option("--name", help="What it is called; by default as its folder.")
@click.option("--with-reference", is_flag=True, help="The reference bots join.")
def init(
    *, folder: Path, variants: tuple[str, ...], seats: str, name: str | None, with_reference: bool
) -> None:
    """Make a ladder in the folder DIR, which is not there yet.

    Its ladder.yaml says what is played and on which terms, each key with what it means.
    """
    console = Screen()
    told = text(name or called(folder), variants or VARIANTS, sizes(seats))
    joined: list[str] = []

    def join(ladder: Ladder) -> None:
        warn(ladder.settings.terms.sandbox)
        if with_reference:
            joined.extend(join_references(ladder))

    made = make(folder, told, join)
    place = shlex.quote(str(folder))
    cells = count(len(made.settings.cells), "cell")
    console.print(
        f"Made {printable(str(folder))}: {cells}, sandbox {made.settings.terms.sandbox.level}; "
        f"{printable(str(made.settings.file))} says more.",
        soft_wrap=True,
    )
    if joined:
        console.print(f"Reference bots: {', '.join(joined)}.", soft_wrap=True)
    console.print(
        f"Next: arena submit BOT --to {place}\n"
        f"      arena ladder night {place} --games 1000\n"
        f"      arena serve {place}",
        soft_wrap=True,
    )


def called(folder: Path) -> str:
    """What a ladder is called after its folder."""
    plain = re.sub(r"[^A-Za-z0-9 ._-]+", "-", folder.resolve().name).strip("-._ ")
    return plain[:LONGEST_NAME] or "ladder"


def sizes(given: str) -> str | list[int]:
    """The numbers of seats that were typed."""
    if given.strip() == "all":
        return "all"
    parts = [part.strip() for part in given.split(",")]
    if not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
        raise ArenaError(f"--seats takes numbers such as 3,4, or all, not {printable(given)!r}")
    return [int(part) for part in parts]
