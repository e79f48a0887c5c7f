"""The description says everything about every operation, and nothing but the truth."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.sanitize import to_json
from arena.web.api.openapi import ApiGuide, all_responses, openapi_document
from arena.web.api.parameters import NoQuery
from arena.web.ladder_app import OPERATIONS
from tests.web.server_process import ServerProcess

ALL_OPERATIONS = ApiGuide(OPERATIONS).operations
DOCUMENT = openapi_document(ALL_OPERATIONS, "Nachbarn", "/our/ladder")


def references(part: Any) -> set[str]:
    """All references within a part of the description."""
    if isinstance(part, dict):
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*map(references, part.values()))
    return set().union(*map(references, part)) if isinstance(part, list) else set()


def test_all_references_resolve() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert DOCUMENT["servers"] == [{"url": "/our/ladder"}]
    schemas = DOCUMENT["components"]["schemas"]
    assert references(DOCUMENT) <= {f"#/components/schemas/{name}" for name in schemas}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    names = [one.name for one in ALL_OPERATIONS]
    assert len(names) == len(set(names))


def test_published_component_names() -> None:
    """Programs that are generated from the document rely on them, whatever the classes are called.

    If this fails after a class was renamed, give its old name to it in `PUBLISHED_NAMES`.
    """
    names = """
        Aim Bot Bots Cell Conversation Entry Event Evidence Fault FaultOf Faults Game Games Health
        InPart Line Move Neighbours Night Nights Pending Played Problem Record Said Seated Standing
        Style Summary Table Taken VersionOf
    """
    schemas = DOCUMENT["components"]["schemas"]
    assert list(schemas) == names.split()
    assert all(schema["title"] == name for name, schema in schemas.items())


@pytest.mark.parametrize("operation", ALL_OPERATIONS, ids=lambda one: one.name)
def test_every_operation(operation: Any) -> None:
    told = DOCUMENT["paths"][operation.path][operation.method.lower()]
    assert told["operationId"] == operation.name
    assert told["summary"].endswith(".")
    assert {int(status) for status in told["responses"]} == set(all_responses(operation))
    assert 503 in all_responses(operation)
    assert (422 in all_responses(operation)) == (operation.query_type is not NoQuery)
    in_path = {one["name"] for one in told["parameters"] if one["in"] == "path"}
    assert in_path == {part[1:-1] for part in operation.path.split("/") if part.startswith("{")}
    for parameter in told["parameters"]:
        assert parameter["description"]
        takes = parameter["schema"]
        Draft202012Validator.check_schema(takes)
        if parameter["in"] == "path":
            assert parameter["required"]
            assert takes["pattern"]
        if takes["type"] == "integer":
            assert {"minimum", "maximum"} <= set(takes)
        elif takes["type"] == "string" and parameter["in"] != "header":
            assert takes["maxLength"]
    assert ("security" in told) == operation.needs_token
    assert ("requestBody" in told) == bool(operation.body)


@pytest.mark.slow
def test_the_api_page_lists_everything(ladder_server: ServerProcess) -> None:
    """It names every operation, parameter and answer that the description has."""
    told = ladder_server.request("/api/openapi.json").json
    assert told == json.loads(to_json(openapi_document(ALL_OPERATIONS, "Nachbarn", "")))
    page = ladder_server.request("/api").text
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert f'id="{operation["operationId"]}"' in page
            assert path in page
            assert method.upper() in page
            for parameter in operation["parameters"]:
                assert f"<code>{parameter['name']}</code>" in page
    for name in told["components"]["schemas"]:
        assert f'id="schema-{name}"' in page
