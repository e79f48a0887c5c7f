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
from arena.web.errors import ApiError, Problem
from arena.web.uploads import RequestBody, send_refusal

JSON: Final = "application/json"
NO_STORE: Final = {"cache-control": "no-store"}

Handler = Callable[[ApiContext, Request, Any], Awaitable[Struct | Response]]


@dataclass(frozen=True)
class DocumentedResponse:
    """One of the answers that an operation may have."""

    description: str
    schema_type: type[Struct] | None = Problem
    """None: what it is is told by its media type alone."""
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those that it always has, each with what it says."""


@dataclass(frozen=True)
class Operation:
    """Something that can be asked."""

    name: str
    method: str
    path: str
    summary: str
    """What it is for, in a sentence."""
    handler: Handler
    responses: Mapping[int, DocumentedResponse]
    query_type: type[Struct] = NoQuery
    """Its parameters; those that are not in the path stand behind a `?`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that it looks at, each with what it says."""
    body: str = ""
    """What its body is, if it has one."""
    needs_token: bool = False
    """Whether it wants a token."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods by which it is asked."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)


class OperationEndpoint:
    """Answers all operations of one path, and refuses every other method."""

    def __init__(self, context: ApiContext, operations: Sequence[Operation]) -> None:
        self.context = context
        self.by_method = {
            method: operation for operation in operations for method in operation.methods
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one question."""
        body = RequestBody(receive)
        request = Request(scope, body)
        operation = self.by_method.get(request.method)
        try:
            answer = await self.respond(request, operation)
        except ApiError as failure:
            answer = json_response(failure.problem, failure.status, failure.headers)
            if operation and operation.body and not body.is_over:
                await send_refusal(answer, request, body, send)
                return
        except ClientDisconnect:
            return
        await answer(scope, receive, send)

    async def respond(self, request: Request, operation: Operation | None) -> Response:
        """The answer to a question that can be answered."""
        if operation is None:
            allowed = ", ".join(self.by_method)
            raise ApiError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"this cannot be asked here by {request.method}, only by {allowed}",
                {"allow": allowed},
            )
        given = [*request.path_params.items(), *request.query_params.multi_items()]
        found = await operation.handler(
            self.context, request, parse_query(operation.query_type, given)
        )
        return found if isinstance(found, Response) else json_response(found)


def json_response(
    answer: Struct, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer as JSON in which nothing that strangers wrote does anything at a terminal."""
    content = to_json(answer) + "\n"
    return Response(content, status, {**NO_STORE, **(headers or {})}, JSON)
