"""The OpenAPI document of the API, and the same as an HTML page."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.sanitize import to_json
from arena.web.api.context import ApiContext
from arena.web.api.operations import JSON, DocumentedResponse, Operation
from arena.web.api.parameters import NoQuery, accepted_text, query_schema, required_fields
from arena.web.errors import Problem
from arena.web.pages import content_response
from arena.web.site_cache import TaggedContent
from arena.web.submit_page import render_template

API_DESCRIPTION: Final = (
    "A ladder of bots that play trick-taking card games. Whatever is read here is what the pages "
    "show; nothing but sending a bot wants a token. Whatever cannot be answered is answered with "
    'one sentence, as `{"error": "…"}`.'
)
LATER: Final = {"Retry-After": "seconds after which to try again"}
BAD_PARAMETER: Final = DocumentedResponse("A parameter is not what it takes")
BUSY_RESPONSE: Final = DocumentedResponse(
    "The ladder cannot be read just now, or too many ask", headers=LATER
)
TEMPLATE: Final = "#/components/schemas/{name}"


def openapi_document(operations: Sequence[Operation], name: str, server: str) -> dict[str, Any]:
    """All operations of the server at this path."""
    kinds = [
        answer.schema_type
        for one in operations
        for answer in all_responses(one).values()
        if answer.schema_type
    ]
    unique: list[type[Struct]] = list(dict.fromkeys([Problem, *kinds]))
    schemas, components = msgspec.json.schema_components(unique, ref_template=TEMPLATE)
    known: dict[type[Struct], Any] = dict(zip(unique, schemas, strict=True))
    paths: dict[str, Any] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = operation_object(one, known)
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": version("stichkampf"), "description": API_DESCRIPTION},
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


def all_responses(one: Operation) -> dict[int, DocumentedResponse]:
    """All answers of an operation: its own, and those that every one of its kind has."""
    found = dict(one.responses)
    if one.query_type is not NoQuery:
        found.setdefault(422, BAD_PARAMETER)
    found.setdefault(503, BUSY_RESPONSE)
    return dict(sorted(found.items()))


def operation_object(one: Operation, known: Mapping[type[Struct], Any]) -> dict[str, Any]:
    """An operation."""
    told: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.summary,
        "parameters": [*parameter_objects(one), *header_objects(one)],
        "responses": {
            str(status): response_object(answer, known)
            for status, answer in all_responses(one).items()
        },
    }
    if one.body:
        anything: dict[str, Any] = {"application/octet-stream": {"schema": {}}}
        told["requestBody"] = {"description": one.body, "required": True, "content": anything}
    if one.needs_token:
        told["security"] = [{"token": []}]
    return told


def parameter_objects(one: Operation) -> list[dict[str, Any]]:
    """What stands in the path, and behind the `?`."""
    if one.query_type is NoQuery:
        return []
    needed = required_fields(one.query_type)
    found = []
    for name, described in query_schema(one.query_type).items():
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


def header_objects(one: Operation) -> list[dict[str, Any]]:
    """The headers that an operation looks at."""
    return [
        {"name": name, "in": "header", "description": says, "schema": {"type": "string"}}
        for name, says in one.headers.items()
    ]


def response_object(
    answer: DocumentedResponse, known: Mapping[type[Struct], Any]
) -> dict[str, Any]:
    """One answer."""
    content = known[answer.schema_type] if answer.schema_type else {"type": "string"}
    if answer.media_type == JSON and answer.schema_type is None:
        content = {"type": "object"}
    told: dict[str, Any] = {
        "description": answer.description,
        "content": {answer.media_type: {"schema": content}},
    }
    if answer.headers:
        told["headers"] = {
            name: {"description": says, "required": True, "schema": {"type": "string"}}
            for name, says in answer.headers.items()
        }
    return told


HTML = "text/html"


class ApiGuide:
    """Tells what can be asked, itself included."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = (
            *operations,
            Operation(
                name="description",
                method="GET",
                path="/api/openapi.json",
                summary="This description, for programs.",
                handler=self.openapi_json,
                responses={200: DocumentedResponse("The description", None)},
            ),
            Operation(
                name="guide",
                method="GET",
                path="/api",
                summary="This description, as a page for people.",
                handler=self.page,
                responses={200: DocumentedResponse("The page", None, HTML)},
            ),
        )

    def document(self, context: ApiContext, request: Request) -> dict[str, Any]:
        """The description, with the path that all of this stands below."""
        name = context.site_cache.current.site.pages.survey.header.name
        return openapi_document(self.operations, name, request.scope["root_path"])

    async def openapi_json(self, context: ApiContext, request: Request, _: object) -> Response:
        """The description for programs, made once for each site."""
        pages = context.site_cache.current.pages
        if "api/openapi.json" not in pages:
            pages["api/openapi.json"] = TaggedContent.of(
                to_json(self.document(context, request)).encode()
            )
        return content_response(request, pages["api/openapi.json"], JSON)

    async def page(self, context: ApiContext, request: Request, _: object) -> Response:
        """The description for people."""
        site, _mark, pages = context.site_cache.current
        if "api" not in pages:
            told = self.document(context, request)
            words = {
                "api": told,
                "parts": list_operations(told),
                "shape": schema_text,
                "taken": accepted_text,
            }
            pages["api"] = TaggedContent.of(render_template(site.pages, "api.html", "api", **words))
        return content_response(request, pages["api"], HTML)


def list_operations(described: dict[str, Any]) -> list[dict[str, Any]]:
    """All operations one after another, those with which something is sent at first."""
    found = [
        {"method": method.upper(), "path": path, **operation}
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return sorted(found, key=lambda one: one["method"] != "POST")


def schema_text(takes: dict[str, Any]) -> str:
    """What a part of an answer is, in words."""
    match takes:
        case {"$ref": place}:
            told = place.split("/")[-1]
        case {"anyOf": kinds}:
            told = " or ".join(schema_text(one) for one in kinds)
        case {"enum": values}:
            told = " or ".join(map(str, values))
        case {"type": "array", "prefixItems": kinds}:
            told = f"list of {' and '.join(schema_text(one) for one in kinds)}"
        case {"type": "array", "items": kind}:
            told = f"list of {schema_text(kind)}"
        case {"type": "object", "additionalProperties": kind}:
            told = f"object of {schema_text(kind)}"
        case _:
            told = takes.get("type", "anything")
    return str(told)
