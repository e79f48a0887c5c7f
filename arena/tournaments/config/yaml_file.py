"""Read a YAML file and convert it to typed keys, with errors that name file and key."""

import re
from collections.abc import Hashable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from msgspec import Struct

from arena.bots.manifest import yaml_error_text
from arena.errors import ArenaError
from arena.sanitize import cut_middle, describe_value

S = TypeVar("S", bound=Struct)

MERGE_TAG = "tag:yaml.org,2002:merge"

VALUE_ERRORS = (ValueError, LookupError, AttributeError, OverflowError)
"""What PyYAML raises for values such as `!!int ''`."""


class BadTournament(ArenaError):
    """A tournament that cannot be played as its file has it."""


class UniqueKeyLoader(yaml.SafeLoader):
    """Plain YAML in which no key stands twice: the first of two would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 (PyYAML's signature)
        """Keys with values, each key once."""
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


def read(file: Path) -> str:
    """The text of the file."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadTournament(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadTournament(f"{file}: it is not YAML: it has to be text in UTF-8") from error


def parse(file: Path, text: str) -> dict[Any, Any]:
    """The keys of the file with their values, not looked at yet."""
    try:
        found = yaml.load(text, UniqueKeyLoader)  # noqa: S506 (it is a SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise BadTournament(f"{file}: it is not YAML: {yaml_error_text(error)}") from error
    except (yaml.YAMLError, RecursionError, *VALUE_ERRORS) as error:
        said = cut_middle(" ".join(str(error).split()))
        raise BadTournament(f"{file}: it is not YAML: {said}") from error
    if not isinstance(found, dict):
        raise BadTournament(f"{file}: it has to hold keys with values, such as 'deals: 12'")
    return found


def check_keys(file: Path, found: Mapping[Any, Any], keys: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse keys that nobody reads; `keys` has those of the file at "" and of each key in it."""
    for inside, names in keys.items():
        values: Any = found
        for key in filter(None, inside.split(".")):
            values = values.get(key) if isinstance(values, dict) else None
        for number, value in enumerate(values if isinstance(values, list) else [values]):
            if not isinstance(value, dict):
                continue
            at = f"$.{inside}" + (f"[{number}]" if isinstance(values, list) else "")
            for key in value:
                if key not in names:
                    near = get_close_matches(describe_value(key).strip("'"), names, n=1)
                    listed = f"the keys are {', '.join(names)}"
                    hint = f"did you mean {near[0]!r}?" if near else listed
                    place = f"{at}: " if inside else ""
                    raise BadTournament(
                        f"{file}: {place}there is no key {describe_value(key)}; {hint}"
                    )


def convert(
    file: Path, values: Mapping[Any, Any], struct: type[S], explanations: Mapping[str, str]
) -> S:
    """The values as the types they have to be; `meant` says in words what each key takes."""
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
    """What msgspec finds wrong, in this program's words."""
    if "matching regex" in problem:
        return "that cannot be taken"
    if enum := re.match(r"Invalid enum value (.*)", problem):
        return f"there is no {cut_middle(enum[1])}"
    plain = cut_middle(problem).replace("`", "")
    return plain[:1].lower() + plain[1:]


def explain_key(path: str, explanations: Mapping[str, str]) -> str:
    """What a key takes, or the nearest one around it that is explained."""
    key = re.sub(r"\[[^\]]*\]", "", path).removeprefix("$").removeprefix(".")
    while key and key not in explanations:
        key = key.rpartition(".")[0]
    return f"; it takes {explanations[key]}" if key else ""
