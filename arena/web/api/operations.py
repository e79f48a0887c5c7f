"""Operations: what can be asked of the ladder, each with its parameters and all its answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from arena.printable import to_json
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure, Problem
from arena.web.api.parameters import Nothing, read
from arena.web.receiving import Body, refuse

JSON: Final = "application/json"
FRESH: Final = {"cache-control": "no-store"}

Handle = Callable[[Desk, Request, Any], Awaitable[Struct | Response]]


@dataclass(frozen=True)
class Answer:
    """One of the answers that an operation may have."""

    means: str
    kind: type[Struct] | None = Problem
    """None: what it is is told by its media type alone."""
    media: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those that it always has, each with what it says."""


@dataclass(frozen=True)
class Operation:
    """Something that can be asked."""

    name: str
    method: str
    path: str
    says: str
    """What it is for, in a sentence."""
    handle: Handle
    answers: Mapping[int, Answer]
    asked: type[Struct] = Nothing
    """Its parameters; those that are not in the path stand behind a `?`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that it looks at, each with what it says."""
    body: str = ""
    """What its body is, if it has one."""
    secret: bool = False
    """Whether it wants a token."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods by which it is asked."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)


class Answering:
    """Answers all operations of one path, and refuses every other method."""

    def __init__(self, desk: Desk, operations: Sequence[Operation]) -> None:
        self.desk = desk
        self.by_method = {
            method: operation for operation in operations for method in operation.methods
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one question."""
        body = Body(receive)
        request = Request(scope, body)
        operation = self.by_method.get(request.method)
        try:
            answer = await self.answered(request, operation)
        except Failure as failure:
            answer = told(failure.said, failure.status, failure.headers)
            if operation and operation.body and not body.over:
                await refuse(answer, request, body, send)
                return
        except ClientDisconnect:
            return
        await answer(scope, receive, send)

    async def answered(self, request: Request, operation: Operation | None) -> Response:
        """The answer to a question that can be answered."""
        if operation is None:
            allowed = ", ".join(self.by_method)
            raise Failure(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"this cannot be asked here by {request.method}, only by {allowed}",
                {"allow": allowed},
            )
        given = [*request.path_params.items(), *request.query_params.multi_items()]
        found = await operation.handle(self.desk, request, read(operation.asked, given))
        return found if isinstance(found, Response) else told(found)


def told(
    answer: Struct, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer as JSON in which nothing that strangers wrote does anything at a terminal."""
    content = to_json(answer) + "\n"
    return Response(content, status, {**FRESH, **(headers or {})}, JSON)
