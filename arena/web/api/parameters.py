"""Parameters of a question: described by a struct, and read exactly as they are described."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from arena.games.catalog import listed
from arena.printable import printable, short
from arena.web.api.failures import Failure

Asked = TypeVar("Asked", bound=Struct)

WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,15})")
TRUTHS: Final = {"true": True, "false": False}
PLACE: Final = re.compile(r"`\$\.(\w+)`")
LONGEST: Final = 60


class Nothing(Struct, frozen=True):
    """A question without parameters."""


@cache
def schema(asked: type[Struct]) -> dict[str, dict[str, Any]]:
    """What each parameter takes, as JSON Schema."""
    _, components = msgspec.json.schema_components([asked])
    found: dict[str, dict[str, Any]] = components[asked.__name__]["properties"]
    return found


@cache
def required(asked: type[Struct]) -> frozenset[str]:
    """The parameters that have to be given."""
    _, components = msgspec.json.schema_components([asked])
    return frozenset(components[asked.__name__]["required"])


def read(asked: type[Asked], given: Iterable[tuple[str, str]]) -> Asked:
    """What was asked, from the texts that were given."""
    known = schema(asked)
    values: dict[str, object] = {}
    for name, text in given:
        shown = printable(short(name, LONGEST))
        if name not in known:
            there = f"there are {listed(known)}" if known else "there are none"
            raise Failure(422, f"there is no parameter {shown}; {there}")
        if name in values:
            raise Failure(422, f"the parameter {shown} is given twice; give it once")
        values[name] = value(known[name], text)
    try:
        return msgspec.convert(values, asked)
    except msgspec.ValidationError as error:
        found = PLACE.search(str(error))
        if not found:
            missing = next(iter(required(asked) - set(values)), "")
            raise Failure(422, f"the parameter {missing} is missing; give it") from error
        name = found[1]
        raise Failure(422, f"the parameter {name} takes {taken(known[name])}") from error


def value(described: dict[str, Any], text: str) -> object:
    """A text as what the parameter takes; one that is nothing of the kind stays a text."""
    if described.get("type") == "integer" and WHOLE.fullmatch(text):
        return int(text)
    if described.get("type") == "boolean":
        return TRUTHS.get(text, text)
    if described.get("type") == "string" and not text.isprintable():
        return None  # no pattern of ours has any, and `$` would let a line end pass
    return text


def taken(described: dict[str, Any]) -> str:
    """What a parameter takes, in words."""
    match described:
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer", "minimum": low, "maximum": high}:
            return f"a whole number from {low} to {high}"
        case {"pattern": pattern, "maxLength": most}:
            return f"what matches {pattern}, at most {most} characters"
        case {"pattern": pattern}:
            return f"what matches {pattern}"
        case {"maxLength": most}:
            return f"at most {most} characters in one line"
    return "something else"
