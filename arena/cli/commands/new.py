"""The command `arena new`: create a bot from a starter kit."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import msgspec
import yaml

from arena.bots.bot import builtin_bots
from arena.bots.digest import bot_files
from arena.bots.interpreters import find_program, programs_on_path, repair_hint
from arena.bots.manifest import MANIFEST_FILE, Manifest, load_manifest
from arena.errors import BadBot
from arena.sanitize import printable


@dataclass(frozen=True)
class StarterKit:
    """A bot to start from, in one language."""

    source: str
    """The file with the strategy."""
    tool: str
    """The program that runs or builds it."""
    test: str
    """The command that runs its tests."""


STARTER_KITS: Final = {
    "python": StarterKit("bot.py", "python3", "python3 -m unittest"),
    "javascript": StarterKit("strategy.js", "node", "node --test"),
    "typescript": StarterKit("src/strategy.ts", "npm", "npm ci && npm test"),
    "rust": StarterKit("src/strategy.rs", "cargo", "cargo test"),
    "go": StarterKit("strategy.go", "go", "go test"),
    "java": StarterKit("src/main/java/bot/Strategy.java", "mvn", "mvn test"),
    "cpp": StarterKit("src/strategy.cpp", "cmake", "sh test.sh"),
    "c": StarterKit("strategy.c", "cc", "make check"),
    "perl": StarterKit("lib/Strategy.pm", "perl", "prove -l"),
    "shell": StarterKit("strategy.jq", "jq", "sh test.sh"),
}
"""The kits by language; the files of each are those of the built-in bot of the same name."""


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
    "where",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The folder to make it in; without it the current one.",
)
def new(name: str, lang: str, where: Path) -> None:
    """Make a folder NAME with a bot that plays, for you to go on from.

    It plays every variant, simply, and has one place where the strategy is written.
    """
    folder = create_bot(where, name, lang)
    kit = STARTER_KITS[lang]
    entries = ", ".join(sorted(entry.name for entry in folder.iterdir()))
    click.echo(printable(f"Made {folder}: {entries}"))
    click.echo(printable(f"Your strategy goes into {folder / kit.source}.") + "\n")
    try:
        find_program(kit.tool, folder, thorough=True)
    except BadBot:
        what = ", and" if any(programs_on_path(kit.tool)) else ", which is not on the PATH:"
        click.echo(printable(f"It needs {kit.tool}{what} {repair_hint(kit.tool)}.") + "\n")
    click.echo(printable(f"  cd {shlex.quote(str(folder))}"))
    click.echo(f"  {kit.test}")
    needs_network = load_manifest(folder / MANIFEST_FILE).build_network
    click.echo("  arena check ." + " --build-network" * needs_network)
    click.echo("  arena play sticheln . . . --watch")


def create_bot(parent: Path, name: str, lang: str) -> Path:
    """Create a folder with the kit of a language; it appears completely or not at all."""
    check_name(name)
    folder = parent / name
    try:
        with TemporaryDirectory(prefix=".new-", dir=parent) as temporary:
            draft = Path(temporary) / name
            kit = builtin_bots()[lang]
            for file in bot_files(kit, load_manifest(kit / MANIFEST_FILE).ignore):
                copy = draft / file.relative_to(kit)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(file.read_bytes())
            write_name(draft / MANIFEST_FILE, name)
            folder.mkdir()  # fails if anything has that name; a rename alone might not
            draft.rename(folder)
    except FileExistsError:
        raise BadBot(f"{folder} exists already: choose another name, or remove it") from None
    except OSError as error:
        raise BadBot(f"{folder} cannot be made: {error.strerror}") from error
    return folder


def check_name(name: str) -> None:
    """Raise an error if a bot cannot have this name."""
    try:
        msgspec.convert({"name": name, "run": ["it"]}, Manifest)
    except msgspec.ValidationError:
        raise BadBot(
            f"{name!r} cannot be a bot's name: it has to begin with a letter or a digit, and go on "
            "with those, spaces, dots, dashes or underscores, 40 characters at most"
        ) from None


def write_name(manifest: Path, name: str) -> None:
    """Write the bot's name into the first line of its manifest, quoted if YAML needs that."""
    _, _, rest = manifest.read_text().partition("\n")
    manifest.write_text(yaml.safe_dump({"name": name}) + rest)
