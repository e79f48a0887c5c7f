"""The starter kits, one for each language, and bots that are created from them."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
import yaml

from arena.bots.bot import builtin_bots
from arena.bots.digest import bot_files
from arena.bots.manifest import MANIFEST_FILE, Manifest, load_manifest
from arena.errors import BadBot


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


def create_bot(parent: Path, name: str, language: str) -> Path:
    """Create a bot from the starter kit of a language, in a new folder NAME below the parent.

    The folder appears completely or not at all.
    """
    check_name(name)
    folder = parent / name
    try:
        with TemporaryDirectory(prefix=".new-", dir=parent) as temporary:
            draft = Path(temporary) / name
            kit = builtin_bots()[language]
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
