"""What `bot.yaml` says about a bot."""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta, Struct

from arena.errors import BadBot
from arena.printable import printable, short
from arena.protocol.messages import MOST_GAMES

FILE = "bot.yaml"
SHOWN = 80
"""Characters of a wrong value that are shown."""

Line = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\n\r]*\Z")]
Argv = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]


class Manifest(Struct, frozen=True, kw_only=True):
    """The keys of `bot.yaml`."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}\Z")]
    """What it is called in tables."""
    run: Argv
    """The program and its arguments, in the bot's folder."""
    build: Argv | None = None
    """What makes the program, in a copy of the bot's folder."""
    build_network: bool = False
    """Whether that fetches packages."""
    ignore: tuple[Annotated[str, Meta(min_length=1, pattern=r"^[^/]*\Z")], ...] = ()
    """Names of files and folders, at any depth, that tools leave behind and are no part of it."""
    language: Line | None = None
    author: Line | None = None
    description: Line | None = None
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)] | None = None
    """Never more games at once than this, whatever it says when it starts."""
    memory: Annotated[int, Meta(ge=1)] | None = None
    """MiB that it may hold."""


MEANT = {
    "name": "letters, digits, space, dot, dash and underscore, at most 40, in quotes if YAML sees "
    "something else in them",
    "run": "a list, such as [python3, bot.py]",
    "build": "a list, such as [make, bot]",
    "build_network": "true or false",
    "ignore": "a list of names, such as [target, node_modules]",
    "language": "one line of text",
    "author": "one line of text",
    "description": "one line of text",
    "games": "a whole number from 1",
    "memory": "a whole number of MiB, such as 512",
}
"""What a key takes, in words."""


def load(file: Path) -> Manifest:
    """The manifest in a file; what is wrong with it is said with file and key."""
    try:
        found = yaml.safe_load(file.read_bytes())
    except OSError as error:
        raise BadBot(f"{file}: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        raise BadBot(f"{file}: it is not YAML: {where(error)}") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadBot(f"{file}: it is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, dict):
        raise BadBot(f"{file}: it has to hold keys with values, such as 'name: my-bot'")
    known = Manifest.__struct_fields__
    for key in found:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
            raise BadBot(f"{file}: there is no key {key!r}; {hint}")
    for key in ("name", "run"):
        if key not in found:
            raise BadBot(f"{file}: the key {key!r} is missing; it takes {MEANT[key]}")
    try:
        told = msgspec.convert(found, Manifest)
    except msgspec.ValidationError as error:
        key = str(error).rpartition("$.")[2].rstrip("`").partition("[")[0]
        wrong = short(repr(found[key]), SHOWN)
        raise BadBot(f"{file}: $.{key} takes {MEANT[key]}, not {wrong}") from error
    sensible(file, told)
    return told


def sensible(file: Path, told: Manifest) -> None:
    """Whether the keys go together, and can be shown."""
    for key in ("language", "author", "description"):
        if (line := getattr(told, key)) is not None and printable(line) != line:
            raise BadBot(f"{file}: $.{key} holds characters that cannot be shown; leave them out")
    if told.ignore and not told.build:
        raise BadBot(
            f"{file}: $.ignore is for bots with a build, which is made without what it names; "
            "this one runs in its folder, so all of it counts"
        )
    if told.build_network and not told.build:
        raise BadBot(f"{file}: $.build_network is for bots with a build, which fetches packages")
    if FILE in told.ignore:
        raise BadBot(f"{file}: $.ignore: {FILE} is a part of every bot")


def where(error: yaml.MarkedYAMLError) -> str:
    """What is wrong in a YAML file, and in which line."""
    mark = error.problem_mark
    line = f"line {mark.line + 1}: " if mark else ""
    tabs = "; use spaces, not tabs" if "\\t" in (error.problem or "") else ""
    return f"{line}{error.problem or error.context}{tabs}"
