"""The OpenAPI document of the API, and the same as an HTML page."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.ladder.models import NightLimits, NightSummary, SubmissionMessage
from arena.ratings.standings import (
    NeighbourComparison,
    PendingCell,
    StandingsLine,
    StandingsTable,
    StyleDifference,
)
from arena.referee.record import SeatedBot
from arena.report.data.ladder_info import RankChange
from arena.sanitize import to_json
from arena.store.search import GameRow
from arena.web.api.bots import (
    BotDetails,
    BotFault,
    BotFaults,
    BotList,
    BotSummary,
    PartStanding,
    VersionDetails,
)
from arena.web.api.context import ApiContext
from arena.web.api.games import GameList, PlayedGame
from arena.web.api.parameters import NoQuery, accepted_text, query_schema, required_fields
from arena.web.api.routing import (
    COMPONENT_REFERENCE,
    JSON,
    RETRY_AFTER_HEADER,
    DocumentedResponse,
    Operation,
)
from arena.web.api.standings import CurrentStandings, NightList
from arena.web.api.submissions import QueuedSubmission, ServerSentEvent
from arena.web.api_errors import Problem
from arena.web.pages import content_response
from arena.web.site_cache import TaggedContent
from arena.web.submission_events import SubmissionHistory
from arena.web.submit_page import render_template

API_DESCRIPTION: Final = (
    "A ladder of bots that play trick-taking card games. The data are those of the pages. A token "
    "is required to submit a bot and to read its faults. Errors are one sentence, as "
    '`{"error": "…"}`.'
)
BAD_PARAMETER: Final = DocumentedResponse("A parameter is unknown, missing or invalid")
BUSY_RESPONSE: Final = DocumentedResponse(
    "The ladder cannot be read just now, or there are too many requests", headers=RETRY_AFTER_HEADER
)

PUBLISHED_NAMES: Final[Mapping[type, str]] = {
    BotDetails: "Bot",
    BotFault: "FaultOf",
    BotFaults: "Faults",
    BotList: "Bots",
    BotSummary: "Entry",
    CurrentStandings: "Standing",
    GameList: "Games",
    GameRow: "Game",
    NeighbourComparison: "Neighbours",
    PendingCell: "Pending",
    NightList: "Nights",
    PartStanding: "InPart",
    NightLimits: "Aim",
    NightSummary: "Summary",
    PlayedGame: "Played",
    QueuedSubmission: "Taken",
    RankChange: "Move",
    SeatedBot: "Seated",
    ServerSentEvent: "Event",
    StandingsLine: "Line",
    StandingsTable: "Table",
    StyleDifference: "Style",
    SubmissionHistory: "Conversation",
    SubmissionMessage: "Said",
    VersionDetails: "VersionOf",
}
"""Components whose name differs from that of their class; programs may rely on these names."""


def openapi_document(operations: Sequence[Operation], name: str, server: str) -> dict[str, Any]:
    """Describe all operations of the server at this path."""
    types = [
        answer.schema_type
        for operation in operations
        for answer in all_responses(operation).values()
        if answer.schema_type
    ]
    unique_types: list[type[Struct]] = list(dict.fromkeys([Problem, *types]))
    schemas, components = msgspec.json.schema_components(
        unique_types, ref_template=COMPONENT_REFERENCE
    )
    schemas_by_type: dict[type[Struct], Any] = dict(zip(unique_types, schemas, strict=True))
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = operation_object(
            operation, schemas_by_type
        )
    document = {
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
    return publish_component_names(document)


def publish_component_names(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document in which each component has its published name."""
    names = {one.__name__: name for one, name in PUBLISHED_NAMES.items()}
    references = {
        COMPONENT_REFERENCE.format(name=old): COMPONENT_REFERENCE.format(name=new)
        for old, new in names.items()
    }

    def publish(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: publish(value) for key, value in part.items()}
        if isinstance(part, list | tuple):
            return [publish(value) for value in part]
        return references.get(part, part) if isinstance(part, str) else part

    published: dict[str, Any] = publish(document)
    components = published["components"]
    for schema in components["schemas"].values():
        schema["title"] = names.get(schema["title"], schema["title"])
    renamed = {names.get(name, name): one for name, one in components["schemas"].items()}
    components["schemas"] = dict(sorted(renamed.items()))
    return published


def all_responses(operation: Operation) -> dict[int, DocumentedResponse]:
    """All responses of an operation: its own, and those that every operation of its kind has."""
    responses = dict(operation.responses)
    if operation.query_type is not NoQuery:
        responses.setdefault(422, BAD_PARAMETER)
    responses.setdefault(503, BUSY_RESPONSE)
    return dict(sorted(responses.items()))


def operation_object(
    operation: Operation, schemas_by_type: Mapping[type[Struct], Any]
) -> dict[str, Any]:
    """Describe an operation."""
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*parameter_objects(operation), *header_objects(operation)],
        "responses": {
            str(status): response_object(response, schemas_by_type)
            for status, response in all_responses(operation).items()
        },
    }
    if operation.body:
        anything: dict[str, Any] = {"application/octet-stream": {"schema": {}}}
        described["requestBody"] = {
            "description": operation.body,
            "required": True,
            "content": anything,
        }
    if operation.needs_token:
        described["security"] = [{"token": []}]
    return described


def parameter_objects(operation: Operation) -> list[dict[str, Any]]:
    """Describe the parameters in the path and in the query."""
    if operation.query_type is NoQuery:
        return []
    required = required_fields(operation.query_type)
    parameters = []
    for name, described in query_schema(operation.query_type).items():
        schema = {key: value for key, value in described.items() if key != "description"}
        parameters.append(
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in operation.path else "query",
                "description": described.get("description", ""),
                "required": name in required,
                "schema": schema,
            }
        )
    return parameters


def header_objects(operation: Operation) -> list[dict[str, Any]]:
    """Describe the request headers that an operation reads."""
    return [
        {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}
        for name, description in operation.headers.items()
    ]


def response_object(
    response: DocumentedResponse, schemas_by_type: Mapping[type[Struct], Any]
) -> dict[str, Any]:
    """Describe a response."""
    content = schemas_by_type[response.schema_type] if response.schema_type else {"type": "string"}
    if response.media_type == JSON and response.schema_type is None:
        content = {"type": "object"}
    described: dict[str, Any] = {
        "description": response.description,
        "content": {response.media_type: {"schema": content}},
    }
    if response.headers:
        described["headers"] = {
            name: {"description": description, "required": True, "schema": {"type": "string"}}
            for name, description in response.headers.items()
        }
    return described


HTML = "text/html"


class ApiGuide:
    """Serves the description of all operations, including its own two."""

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
        """The OpenAPI document, with the path prefix of the server."""
        name = context.site_cache.current.site.pages.survey.header.name
        return openapi_document(self.operations, name, request.scope["root_path"])

    async def openapi_json(self, context: ApiContext, request: Request, _: object) -> Response:
        """Serve the OpenAPI document, which is built once for each site."""
        rendered_pages = context.site_cache.current.rendered_pages
        if "api/openapi.json" not in rendered_pages:
            rendered_pages["api/openapi.json"] = TaggedContent.of(
                to_json(self.document(context, request)).encode()
            )
        return content_response(request, rendered_pages["api/openapi.json"], JSON)

    async def page(self, context: ApiContext, request: Request, _: object) -> Response:
        """Serve the same as an HTML page."""
        site, _revision, rendered_pages = context.site_cache.current
        if "api" not in rendered_pages:
            document = self.document(context, request)
            values = {
                "api": document,
                "parts": list_operations(document),
                "shape": schema_text,
                "taken": accepted_text,
            }
            rendered_pages["api"] = TaggedContent.of(
                render_template(site.pages, "api.html", "api", **values)
            )
        return content_response(request, rendered_pages["api"], HTML)


def list_operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All operations as a list, those that send something first."""
    listed = [
        {"method": method.upper(), "path": path, **operation}
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    return sorted(listed, key=lambda one: one["method"] != "POST")


def schema_text(schema: dict[str, Any]) -> str:
    """Describe the type of a field in words."""
    match schema:
        case {"$ref": reference}:
            text = reference.split("/")[-1]
        case {"anyOf": kinds}:
            text = " or ".join(schema_text(kind) for kind in kinds)
        case {"enum": values}:
            text = " or ".join(map(str, values))
        case {"type": "array", "prefixItems": kinds}:
            text = f"list of {' and '.join(schema_text(kind) for kind in kinds)}"
        case {"type": "array", "items": kind}:
            text = f"list of {schema_text(kind)}"
        case {"type": "object", "additionalProperties": kind}:
            text = f"object of {schema_text(kind)}"
        case _:
            text = schema.get("type", "anything")
    return str(text)
