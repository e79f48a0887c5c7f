"""What `bot.yaml` says about a bot."""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta, Struct

from arena.errors import BadBot
from arena.protocol.messages import MOST_GAMES

FILE = "bot.yaml"

Line = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\n\r]*\Z")]
Argv = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]


class Manifest(Struct, frozen=True, kw_only=True):
    """The keys of `bot.yaml`."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}\Z")]
    """What it is called in tables: letters, digits, space, dot, dash, at most 40."""
    run: Argv
    """The program and its arguments, in the bot's folder."""
    build: Argv | None = None
    """What makes the program, in a copy of the bot's folder."""
    language: Line | None = None
    author: Line | None = None
    description: Line | None = None
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)] | None = None
    """Never more games at once than this, whatever it says when it starts."""
    memory: Annotated[int, Meta(ge=1)] | None = None
    """MiB that it may hold."""


def load(file: Path) -> Manifest:
    """The manifest in a file; what is wrong with it is said with file and key."""
    try:
        found = yaml.safe_load(file.read_bytes())
    except OSError as error:
        raise BadBot(f"{file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadBot(f"{file}: it is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, dict):
        raise BadBot(f"{file}: it has to be a list of keys and values, such as 'name: my-bot'")
    known = Manifest.__struct_fields__
    for key in found:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
            raise BadBot(f"{file}: there is no key {key!r}; {hint}")
    try:
        return msgspec.convert(found, Manifest)
    except msgspec.ValidationError as error:
        raise BadBot(f"{file}: {sentence(str(error))}") from error


def sentence(error: str) -> str:
    """A validation error with its place first: `$.run: expected array, got str`."""
    what, _, where = error.partition(" - at ")
    what = what.replace("`", "")
    return f"{where.strip('`')}: {what[:1].lower()}{what[1:]}" if where else what
