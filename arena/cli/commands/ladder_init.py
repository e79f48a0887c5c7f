"""The command `arena ladder init`: create a ladder."""

import re
import shlex
from pathlib import Path

import click

from arena.cli.completion import complete_variant
from arena.cli.options import ladder_argument, warn_about_sandbox
from arena.cli.output import SafeConsole
from arena.errors import ArenaError
from arena.ladder.create import DEFAULT_SEATS, DEFAULT_VARIANTS, create_ladder
from arena.sanitize import printable
from arena.text import plural


@click.command(short_help="Make a ladder.")
@ladder_argument
@click.option(
    "--variants",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_variant,
    help="A variant or a pattern such as 'sticheln+*', or all; may be repeated. "
    f"By default {', '.join(DEFAULT_VARIANTS)}.",
)
@click.option(
    "--seats",
    default=",".join(map(str, DEFAULT_SEATS)),
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
    new = create_ladder(
        folder,
        name=name,
        variants=variants or DEFAULT_VARIANTS,
        seats=parse_seats(seats),
        with_reference=with_reference,
    )
    settings = new.ladder.settings
    warn_about_sandbox(settings.referee_config.sandbox)
    quoted_folder = shlex.quote(str(folder))
    cells = plural(len(settings.cells), "cell")
    console.print(
        f"Made {printable(str(folder))}: {cells}, sandbox {settings.referee_config.sandbox.level}; "
        f"{printable(str(settings.file))} says more.",
        soft_wrap=True,
    )
    if new.reference_bots:
        console.print(f"Reference bots: {', '.join(new.reference_bots)}.", soft_wrap=True)
    console.print(
        f"Next: arena submit BOT --to {quoted_folder}\n"
        f"      arena ladder night {quoted_folder} --games 1000\n"
        f"      arena serve {quoted_folder}",
        soft_wrap=True,
    )


def parse_seats(text: str) -> str | list[int]:
    """Parse the value of --seats."""
    if text.strip() == "all":
        return "all"
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
        raise ArenaError(f"--seats takes numbers such as 3,4, or all, not {printable(text)!r}")
    return [int(part) for part in parts]
