"""Parse and validate query and path parameters, described by msgspec structs."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from arena.sanitize import cut_middle, printable
from arena.text import english_list
from arena.web.api_errors import ApiError

Query = TypeVar("Query", bound=Struct)

WHOLE_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,15})")
BOOLEANS: Final = {"true": True, "false": False}
FIELD_PATH: Final = re.compile(r"`\$\.(\w+)`")
MAX_NAME_LENGTH: Final = 60
"""Characters of an unknown name in an error."""


class NoQuery(Struct, frozen=True):
    """The query of an operation without parameters."""


@cache
def query_schema(query_type: type[Struct]) -> dict[str, dict[str, Any]]:
    """The JSON Schema of each parameter."""
    _, components = msgspec.json.schema_components([query_type])
    properties: dict[str, dict[str, Any]] = components[query_type.__name__]["properties"]
    return properties


@cache
def required_fields(query_type: type[Struct]) -> frozenset[str]:
    """The names of the required parameters."""
    _, components = msgspec.json.schema_components([query_type])
    return frozenset(components[query_type.__name__]["required"])


def parse_query(query_type: type[Query], given: Iterable[tuple[str, str]]) -> Query:
    """Convert the texts of parameters to a query struct; raises `ApiError`."""
    known = query_schema(query_type)
    values: dict[str, object] = {}
    for name, text in given:
        shown_name = printable(cut_middle(name, MAX_NAME_LENGTH))
        if name not in known:
            hint = f"there are {english_list(known)}" if known else "there are none"
            raise ApiError(422, f"there is no parameter {shown_name}; {hint}")
        if name in values:
            raise ApiError(422, f"the parameter {shown_name} is given twice; give it once")
        values[name] = parse_value(known[name], text)
    try:
        return msgspec.convert(values, query_type)
    except msgspec.ValidationError as error:
        match = FIELD_PATH.search(str(error))
        if not match:
            missing = next(iter(required_fields(query_type) - set(values)), "")
            raise ApiError(422, f"the parameter {missing} is missing; give it") from error
        name = match[1]
        raise ApiError(422, f"the parameter {name} takes {accepted_text(known[name])}") from error


def parse_value(described: dict[str, Any], text: str) -> object:
    """Convert a text to the type of its parameter; a text of another form stays a text."""
    if described.get("type") == "integer" and WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if described.get("type") == "boolean":
        return BOOLEANS.get(text, text)
    if described.get("type") == "string" and not text.isprintable():
        return None  # no parameter allows them, and `$` matches before a line end
    return text


def accepted_text(described: dict[str, Any]) -> str:
    """Describe the values of a parameter in words."""
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
