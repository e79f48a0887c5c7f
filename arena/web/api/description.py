"""The description of the interface for programs: OpenAPI, made from what is answered."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from msgspec import Struct

from arena.web.api.failures import Problem
from arena.web.api.operations import JSON, Answer, Operation
from arena.web.api.parameters import Nothing, required, schema

ABOUT: Final = (
    "A ladder of bots that play trick-taking card games. Whatever is read here is what the pages "
    "show; nothing but sending a bot wants a token. Whatever cannot be answered is answered with "
    'one sentence, as `{"error": "…"}`.'
)
LATER: Final = {"Retry-After": "seconds after which to try again"}
BAD: Final = Answer("A parameter is not what it takes")
BUSY: Final = Answer("The ladder cannot be read just now, or too many ask", headers=LATER)
TEMPLATE: Final = "#/components/schemas/{name}"


def describe(operations: Sequence[Operation], name: str, server: str) -> dict[str, Any]:
    """All operations of the server at this path."""
    kinds = [answer.kind for one in operations for answer in answers(one).values() if answer.kind]
    unique: list[type[Struct]] = list(dict.fromkeys([Problem, *kinds]))
    schemas, components = msgspec.json.schema_components(unique, ref_template=TEMPLATE)
    known: dict[type[Struct], Any] = dict(zip(unique, schemas, strict=True))
    paths: dict[str, Any] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = operation(one, known)
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": version("stichkampf"), "description": ABOUT},
        "servers": [{"url": server or "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "what `arena ladder token` has printed",
                }
            },
        },
    }


def answers(one: Operation) -> dict[int, Answer]:
    """All answers of an operation: its own, and those that every one of its kind has."""
    found = dict(one.answers)
    if one.asked is not Nothing:
        found.setdefault(422, BAD)
    found.setdefault(503, BUSY)
    return dict(sorted(found.items()))


def operation(one: Operation, known: Mapping[type[Struct], Any]) -> dict[str, Any]:
    """An operation."""
    told: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.says,
        "parameters": [*parameters(one), *headers(one)],
        "responses": {
            str(status): response(answer, known) for status, answer in answers(one).items()
        },
    }
    if one.body:
        anything: dict[str, Any] = {"application/octet-stream": {"schema": {}}}
        told["requestBody"] = {"description": one.body, "required": True, "content": anything}
    if one.secret:
        told["security"] = [{"token": []}]
    return told


def parameters(one: Operation) -> list[dict[str, Any]]:
    """What stands in the path, and behind the `?`."""
    if one.asked is Nothing:
        return []
    needed = required(one.asked)
    found = []
    for name, described in schema(one.asked).items():
        takes = {key: value for key, value in described.items() if key != "description"}
        found.append(
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in one.path else "query",
                "description": described.get("description", ""),
                "required": name in needed,
                "schema": takes,
            }
        )
    return found


def headers(one: Operation) -> list[dict[str, Any]]:
    """The headers that an operation looks at."""
    return [
        {"name": name, "in": "header", "description": says, "schema": {"type": "string"}}
        for name, says in one.headers.items()
    ]


def response(answer: Answer, known: Mapping[type[Struct], Any]) -> dict[str, Any]:
    """One answer."""
    content = known[answer.kind] if answer.kind else {"type": "string"}
    if answer.media == JSON and answer.kind is None:
        content = {"type": "object"}
    told: dict[str, Any] = {
        "description": answer.means,
        "content": {answer.media: {"schema": content}},
    }
    if answer.headers:
        told["headers"] = {
            name: {"description": says, "required": True, "schema": {"type": "string"}}
            for name, says in answer.headers.items()
        }
    return told
