"""The command `arena ladder init`: create a ladder."""

import re
import shlex
from pathlib import Path

import click

from arena.cli.completion import variant_names
from arena.cli.options import ladder_argument, warn_about_sandbox
from arena.cli.output import SafeConsole
from arena.cli.progress import plural
from arena.errors import ArenaError
from arena.ladder.create import DEFAULT_VARIANTS, add_reference_bots, settings_text
from arena.ladder.folder import Ladder, create_ladder
from arena.sanitize import printable

MAX_NAME_LENGTH = 40


@click.command(short_help="Make a ladder.")
@ladder_argument
@click.option(
    "--variants",
    multiple=True,
    metavar="NAME",
    shell_complete=variant_names,
    help="A variant or a pattern such as 'sticheln+*', or all; may be repeated. "
    f"By default {', '.join(DEFAULT_VARIANTS)}.",
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
    console = SafeConsole()
    told = settings_text(
        name or default_name(folder), variants or DEFAULT_VARIANTS, parse_seats(seats)
    )
    joined: list[str] = []

    def join(ladder: Ladder) -> None:
        warn_about_sandbox(ladder.settings.terms.sandbox)
        if with_reference:
            joined.extend(add_reference_bots(ladder))

    made = create_ladder(folder, told, join)
    place = shlex.quote(str(folder))
    cells = plural(len(made.settings.cells), "cell")
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


def default_name(folder: Path) -> str:
    """What a ladder is called after its folder."""
    plain = re.sub(r"[^A-Za-z0-9 ._-]+", "-", folder.resolve().name).strip("-._ ")
    return plain[:MAX_NAME_LENGTH] or "ladder"


def parse_seats(given: str) -> str | list[int]:
    """The numbers of seats that were typed."""
    if given.strip() == "all":
        return "all"
    parts = [part.strip() for part in given.split(",")]
    if not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
        raise ArenaError(f"--seats takes numbers such as 3,4, or all, not {printable(given)!r}")
    return [int(part) for part in parts]
