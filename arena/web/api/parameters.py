"""Parse and validate query and path parameters, described by msgspec structs."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from arena.games.catalog import english_list
from arena.sanitize import cut_middle, printable
from arena.web.errors import ApiError

Query = TypeVar("Query", bound=Struct)

WHOLE_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,15})")
BOOLEANS: Final = {"true": True, "false": False}
FIELD_PATH: Final = re.compile(r"`\$\.(\w+)`")
LONGEST: Final = 60


class NoQuery(Struct, frozen=True):
    """A question without parameters."""


@cache
def query_schema(query_type: type[Struct]) -> dict[str, dict[str, Any]]:
    """What each parameter takes, as JSON Schema."""
    _, components = msgspec.json.schema_components([query_type])
    found: dict[str, dict[str, Any]] = components[query_type.__name__]["properties"]
    return found


@cache
def required_fields(query_type: type[Struct]) -> frozenset[str]:
    """The parameters that have to be given."""
    _, components = msgspec.json.schema_components([query_type])
    return frozenset(components[query_type.__name__]["required"])


def parse_query(query_type: type[Query], given: Iterable[tuple[str, str]]) -> Query:
    """What was asked, from the texts that were given."""
    known = query_schema(query_type)
    values: dict[str, object] = {}
    for name, text in given:
        shown = printable(cut_middle(name, LONGEST))
        if name not in known:
            there = f"there are {english_list(known)}" if known else "there are none"
            raise ApiError(422, f"there is no parameter {shown}; {there}")
        if name in values:
            raise ApiError(422, f"the parameter {shown} is given twice; give it once")
        values[name] = parse_value(known[name], text)
    try:
        return msgspec.convert(values, query_type)
    except msgspec.ValidationError as error:
        found = FIELD_PATH.search(str(error))
        if not found:
            missing = next(iter(required_fields(query_type) - set(values)), "")
            raise ApiError(422, f"the parameter {missing} is missing; give it") from error
        name = found[1]
        raise ApiError(422, f"the parameter {name} takes {accepted_text(known[name])}") from error


def parse_value(described: dict[str, Any], text: str) -> object:
    """A text as what the parameter takes; one that is nothing of the kind stays a text."""
    if described.get("type") == "integer" and WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if described.get("type") == "boolean":
        return BOOLEANS.get(text, text)
    if described.get("type") == "string" and not text.isprintable():
        return None  # no pattern of ours has any, and `$` would let a line end pass
    return text


def accepted_text(described: dict[str, Any]) -> str:
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
