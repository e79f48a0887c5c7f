"""Load and validate `bot.yaml`, which may come from an untrusted author."""

import re
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta, Struct

from arena.errors import BadBot
from arena.protocol.messages import MAX_GAMES
from arena.sanitize import cut_middle, describe_value, printable
from arena.text import spelling_hint

MANIFEST_FILE = "bot.yaml"

MAX_BYTES = 64 << 10
"""Bytes of a manifest."""
MAX_DEPTH = 8
"""Depth of nested lists and mappings in a manifest."""
MAX_VALUES = 1000
"""Values in a manifest, with keys, lists and mappings."""
MAX_NUMBER_LENGTH = 40
"""Characters of a number or a date in a manifest."""
FORBIDDEN_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""NUL and surrogates, which YAML can escape but file names cannot hold."""
MERGE = "<<"
TEXT = "tag:yaml.org,2002:str"

TextLine = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\n\r]*\Z")]
Argv = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]


class Manifest(Struct, frozen=True, kw_only=True):
    """The keys of `bot.yaml`."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}\Z")]
    """Its name in tables."""
    run: Argv
    """The program and its arguments, in the bot's folder."""
    build: Argv | None = None
    """The command that builds the program, in a copy of the bot's folder."""
    build_network: bool = False
    """Whether the build downloads packages."""
    ignore: tuple[Annotated[str, Meta(min_length=1, pattern=r"^[^/]*\Z")], ...] = ()
    """Names of files and folders, at any depth, that are not part of the bot."""
    language: TextLine | None = None
    author: TextLine | None = None
    description: TextLine | None = None
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES)] | None = None
    """The most games at once, also if the bot offers more when it starts."""
    memory: Annotated[int, Meta(ge=1)] | None = None
    """MiB of memory that it may hold."""


KEY_HELP = {
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
"""What a key takes, for error messages."""


class ForbiddenYaml(yaml.MarkedYAMLError):
    """YAML that a manifest may not hold."""


class ManifestLoader(yaml.SafeLoader):
    """Plain YAML of bounded size, without anchors, aliases, tags and merge keys."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.depth = self.values = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a value, unless a manifest may not hold it."""
        event = self.peek_event()  # type: ignore[no-untyped-call]  # as it is in PyYAML
        self.values += 1
        if problem := yaml_problem(event) or self.size_problem():
            raise ForbiddenYaml(problem=problem, problem_mark=event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        number = node.value if isinstance(node, yaml.ScalarNode) and node.tag != TEXT else ""
        if len(number) > MAX_NUMBER_LENGTH:
            problem = f"a number of more than {MAX_NUMBER_LENGTH} characters; shorten or quote it"
            raise ForbiddenYaml(problem=problem, problem_mark=event.start_mark)
        return node

    def size_problem(self) -> str:
        """Describe which limit of size is exceeded; empty if none."""
        if self.depth > MAX_DEPTH:
            return f"more than {MAX_DEPTH} lists and mappings within each other; flatten it"
        return f"more than {MAX_VALUES} values; leave some out" if self.values > MAX_VALUES else ""


def yaml_problem(event: yaml.NodeEvent) -> str:
    """Describe why a value is not allowed in a manifest; empty if it is."""
    if isinstance(event, yaml.AliasEvent) or event.anchor:
        return "anchors and aliases ('&' and '*') are not allowed; write the value itself"
    if getattr(event, "tag", None):
        return "tags ('!') are not allowed; write the value itself"
    if isinstance(event, yaml.ScalarEvent) and FORBIDDEN_CHARACTERS.search(event.value):
        return "characters that are not allowed in file names and arguments; remove them"
    if isinstance(event, yaml.ScalarEvent) and event.value == MERGE and event.implicit[0]:
        return f"merge keys ('{MERGE}') are not allowed; write the keys themselves"
    return ""


def load_manifest(file: Path) -> Manifest:
    """Read the manifest in a file; an error names the file and the key."""
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadBot(f"{file}: {error.strerror}") from error
    return parse_manifest(text, file)


def parse_manifest(text: bytes, file: Path) -> Manifest:
    """Parse the manifest that a file holds."""
    if len(text) > MAX_BYTES:
        raise BadBot(f"{file}: it is larger than {MAX_BYTES >> 10} KiB; shorten it")
    try:
        loader = ManifestLoader(text)
        found = loader.get_single_data()
    except ForbiddenYaml as error:
        raise BadBot(f"{file}: {yaml_error_text(error)}") from error
    except yaml.MarkedYAMLError as error:
        raise BadBot(f"{file}: it is not YAML: {yaml_error_text(error)}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise BadBot(
            f"{file}: it is not YAML: {cut_middle(' '.join(str(error).split()))}"
        ) from error
    if not isinstance(found, dict):
        raise BadBot(f"{file}: it has to hold keys with values, such as 'name: my-bot'")
    known = Manifest.__struct_fields__
    for key in found:
        if key not in known:
            wrong = describe_value(key)
            hint = spelling_hint(wrong.strip("'"), known, "the keys are")
            raise BadBot(f"{file}: there is no key {wrong}; {hint}")
    for key in ("name", "run"):
        if key not in found:
            raise BadBot(f"{file}: the key {key!r} is missing; it takes {KEY_HELP[key]}")
    try:
        manifest = msgspec.convert(found, Manifest)
    except msgspec.ValidationError as error:
        raise BadBot(f"{file}: {wrong_value_text(str(error), found)}") from error
    check_consistency(file, manifest)
    return manifest


def wrong_value_text(error: str, found: dict[str, Any]) -> str:
    """Describe which key has a wrong value, from msgspec's error and the values of the file."""
    path = error.rpartition("$.")[2].rstrip("`")
    key = path.partition("[")[0]
    wrong = describe_value(found[key])
    if item := re.search(r"\[(\d+)\]$", path):
        wrong = f"a list with {describe_value(found[key][int(item[1])])} in it"
    return f"$.{key} takes {KEY_HELP[key]}, not {wrong}"


def check_consistency(file: Path, manifest: Manifest) -> None:
    """Raise an error if keys contradict each other or hold unprintable text."""
    for key in ("language", "author", "description"):
        if (line := getattr(manifest, key)) is not None and printable(line) != line:
            raise BadBot(f"{file}: $.{key} holds characters that cannot be shown; leave them out")
    if manifest.ignore and not manifest.build:
        raise BadBot(
            f"{file}: $.ignore is for bots with a build, which is made without what it names; "
            "this one runs in its folder, so all of it counts"
        )
    if manifest.build_network and not manifest.build:
        raise BadBot(f"{file}: $.build_network is for bots with a build, which fetches packages")
    if MANIFEST_FILE in manifest.ignore:
        raise BadBot(f"{file}: $.ignore: {MANIFEST_FILE} is a part of every bot")


def yaml_error_text(error: yaml.MarkedYAMLError) -> str:
    """Describe what is wrong in a YAML file, and in which line."""
    mark = error.problem_mark
    line = f"line {mark.line + 1}: " if mark else ""
    tabs = "; use spaces, not tabs" if "\\t" in (error.problem or "") else ""
    return f"{line}{cut_middle(error.problem or error.context or '')}{tabs}"
