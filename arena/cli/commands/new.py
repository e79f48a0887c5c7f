"""The command `arena new`: create a bot from a starter kit."""

import shlex
from pathlib import Path

import click

from arena.bots.interpreters import find_program, programs_on_path, repair_hint
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.bots.starter_kits import STARTER_KITS, create_bot
from arena.errors import BadBot
from arena.sanitize import printable


@click.command(short_help="Make a bot to go on from.")
@click.argument("name")
@click.option(
    "--lang",
    type=click.Choice(list(STARTER_KITS)),
    default="python",
    show_default=True,
    help="What it is written in.",
)
@click.option(
    "--in",
    "parent",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The folder to make it in; without it the current one.",
)
def new(name: str, lang: str, parent: Path) -> None:
    """Make a folder NAME with a bot that plays, for you to go on from.

    It plays every variant, simply, and has one place where the strategy is written.
    """
    folder = create_bot(parent, name, lang)
    kit = STARTER_KITS[lang]
    entries = ", ".join(sorted(entry.name for entry in folder.iterdir()))
    click.echo(printable(f"Made {folder}: {entries}"))
    click.echo(printable(f"Your strategy goes into {folder / kit.source}.") + "\n")
    try:
        find_program(kit.tool, folder, thorough=True)
    except BadBot:
        reason = ", and" if any(programs_on_path(kit.tool)) else ", which is not on the PATH:"
        click.echo(printable(f"It needs {kit.tool}{reason} {repair_hint(kit.tool)}.") + "\n")
    click.echo(printable(f"  cd {shlex.quote(str(folder))}"))
    click.echo(f"  {kit.test}")
    needs_network = load_manifest(folder / MANIFEST_FILE).build_network
    click.echo("  arena check ." + " --build-network" * needs_network)
    click.echo("  arena play sticheln . . . --watch")
