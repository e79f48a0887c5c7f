"""Read a YAML file and convert it to typed keys, with errors that name file and key."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import fields

from arena.bots.manifest import yaml_error_text
from arena.errors import ArenaError
from arena.sanitize import cut_middle, describe_value
from arena.text import spelling_hint

S = TypeVar("S", bound=Struct)

MERGE_TAG = "tag:yaml.org,2002:merge"

VALUE_ERRORS = (ValueError, LookupError, AttributeError, OverflowError)
"""What PyYAML raises for values such as `!!int ''`."""


class BadTournament(ArenaError):
    """A tournament file that cannot be played."""


class UniqueKeyLoader(yaml.SafeLoader):
    """Plain YAML without repeated keys, of which PyYAML would silently drop the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 (PyYAML's signature)
        """Construct a mapping; reject a key that is repeated."""
        seen: set[Hashable] = set()
        for name, _ in node.value:
            key = None if name.tag == MERGE_TAG else self.construct_object(name, deep=True)
            if not isinstance(key, Hashable) or key is None:
                continue
            if key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {describe_value(key)} stands there a second time",
                    problem_mark=name.start_mark,
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml_file(file: Path) -> str:
    """Read the text of a file."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadTournament(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadTournament(f"{file}: it is not YAML: it has to be text in UTF-8") from error


def parse_yaml(file: Path, text: str) -> dict[Any, Any]:
    """Parse the text of a file: its keys with their values, not checked yet."""
    try:
        values = yaml.load(text, UniqueKeyLoader)  # noqa: S506 (it is a SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise BadTournament(f"{file}: it is not YAML: {yaml_error_text(error)}") from error
    except (yaml.YAMLError, RecursionError, *VALUE_ERRORS) as error:
        problem = cut_middle(" ".join(str(error).split()))
        raise BadTournament(f"{file}: it is not YAML: {problem}") from error
    if not isinstance(values, dict):
        raise BadTournament(f"{file}: it has to hold keys with values, such as 'deals: 12'")
    return values


def key_names(kind: type[Struct]) -> tuple[str, ...]:
    """The keys of a struct as they are written in a file."""
    return tuple(each.encode_name for each in fields(kind))


def check_keys(
    file: Path, values: Mapping[Any, Any], top: type[Struct], nested: Mapping[str, type[Struct]]
) -> None:
    """Reject keys that neither the struct at the top nor the one inside a key has."""
    for inside, kind in {"": top, **nested}.items():
        names = key_names(kind)
        inner: Any = values
        for key in filter(None, inside.split(".")):
            inner = inner.get(key) if isinstance(inner, dict) else None
        for number, value in enumerate(inner if isinstance(inner, list) else [inner]):
            if not isinstance(value, dict):
                continue
            at = f"$.{inside}" + (f"[{number}]" if isinstance(inner, list) else "")
            for key in value:
                if key not in names:
                    wrong = describe_value(key)
                    hint = spelling_hint(wrong.strip("'"), names, "the keys are")
                    place = f"{at}: " if inside else ""
                    raise BadTournament(f"{file}: {place}there is no key {wrong}; {hint}")


def convert_keys(
    file: Path, values: Mapping[Any, Any], struct: type[S], explanations: Mapping[str, str]
) -> S:
    """Convert the values to a type; `explanations` say in words what each key takes."""
    try:
        return msgspec.convert(values, struct)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at ")
        path = path.strip("`") or "$"
        if missing := re.search(r"missing required field `(\w+)`", problem):
            path += f".{missing[1]}"
            problem = "the key is missing"
        raise BadTournament(
            f"{file}: {path}: {problem_text(problem)}{explain_key(path, explanations)}"
        ) from error


def problem_text(problem: str) -> str:
    """An error of msgspec, in the words of this program."""
    if "matching regex" in problem:
        return "that cannot be taken"
    if enum := re.match(r"Invalid enum value (.*)", problem):
        return f"there is no {cut_middle(enum[1])}"
    plain = cut_middle(problem).replace("`", "")
    return plain[:1].lower() + plain[1:]


def explain_key(path: str, explanations: Mapping[str, str]) -> str:
    """What a key takes, or the nearest key around it that has an explanation."""
    key = re.sub(r"\[[^\]]*\]", "", path).removeprefix("$").removeprefix(".")
    while key and key not in explanations:
        key = key.rpartition(".")[0]
    return f"; it takes {explanations[key]}" if key else ""
