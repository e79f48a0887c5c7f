"""API operations: parameters, documented responses and dispatch by HTTP method."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from arena.sanitize import to_json
from arena.web.api.context import ApiContext
from arena.web.api.parameters import NoQuery, parse_query
from arena.web.api_errors import ApiError, Problem
from arena.web.uploads import RequestBody, send_refusal

JSON: Final = "application/json"
COMPONENT_REFERENCE: Final = "#/components/schemas/{name}"
"""A reference to a struct in the OpenAPI document."""
NO_STORE: Final = {"cache-control": "no-store"}

Handler = Callable[[ApiContext, Request, Any], Awaitable[Struct | Response]]


@dataclass(frozen=True)
class DocumentedResponse:
    """A response that an operation may have."""

    description: str
    schema_type: type[Struct] | None = Problem
    """None: the media type alone describes it."""
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that it always has, with descriptions."""


RETRY_AFTER_HEADER: Final = {"Retry-After": "seconds after which to try again"}
WRONG_TOKEN_RESPONSE: Final = DocumentedResponse(
    "The token is missing or not known",
    headers={"WWW-Authenticate": "asks for a bearer token"},
)


@dataclass(frozen=True)
class Operation:
    """An operation of the API: its handler, parameters and documented responses."""

    name: str
    method: str
    path: str
    summary: str
    """One sentence."""
    handler: Handler
    responses: Mapping[int, DocumentedResponse]
    query_type: type[Struct] = NoQuery
    """Its parameters; those that are not in the path are in the query string."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Request headers that it reads, with descriptions."""
    body: str = ""
    """The description of its request body, if it has one."""
    needs_token: bool = False
    """Whether it requires a token."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The HTTP methods that it answers."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)


class OperationEndpoint:
    """Dispatches the requests for a path to its operations, and rejects other methods."""

    def __init__(self, context: ApiContext, operations: Sequence[Operation]) -> None:
        self.context = context
        self.by_method = {
            method: operation for operation in operations for method in operation.methods
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Dispatch a request by its method and send the response."""
        body = RequestBody(receive)
        request = Request(scope, body)
        operation = self.by_method.get(request.method)
        try:
            response = await self.respond(request, operation)
        except ApiError as error:
            response = json_response(error.problem, error.status, error.headers)
            if operation and operation.body and not body.is_over:
                await send_refusal(response, request, body, send)
                return
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def respond(self, request: Request, operation: Operation | None) -> Response:
        """Call the operation of a request; raises `ApiError`."""
        if operation is None:
            allowed = ", ".join(self.by_method)
            raise ApiError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"this path does not accept {request.method}, only {allowed}",
                {"allow": allowed},
            )
        given = [*request.path_params.items(), *request.query_params.multi_items()]
        answer = await operation.handler(
            self.context, request, parse_query(operation.query_type, given)
        )
        return answer if isinstance(answer, Response) else json_response(answer)


def json_response(
    answer: Struct, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON response in which control characters are escaped, so that terminals are safe."""
    content = to_json(answer) + "\n"
    return Response(content, status, {**NO_STORE, **(headers or {})}, JSON)
