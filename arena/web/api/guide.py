"""The guide: the description of the interface, for programs as it is and for people as a page."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from arena.printable import to_json
from arena.web.api.description import describe
from arena.web.api.desk import Desk
from arena.web.api.operations import JSON, Answer, Operation
from arena.web.api.parameters import taken
from arena.web.pages import answered
from arena.web.showing import Content
from arena.web.templating import render

HTML = "text/html"


class Guide:
    """Tells what can be asked, itself included."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = (
            *operations,
            Operation(
                name="description",
                method="GET",
                path="/api/openapi.json",
                says="This description, for programs.",
                handle=self.description,
                answers={200: Answer("The description", None)},
            ),
            Operation(
                name="guide",
                method="GET",
                path="/api",
                says="This description, as a page for people.",
                handle=self.page,
                answers={200: Answer("The page", None, HTML)},
            ),
        )

    def described(self, desk: Desk, request: Request) -> dict[str, Any]:
        """The description, with the path that all of this stands below."""
        name = desk.showing.shown.site.pages.survey.header.name
        return describe(self.operations, name, request.scope["root_path"])

    async def description(self, desk: Desk, request: Request, _: object) -> Response:
        """The description for programs, made once for each site."""
        pages = desk.showing.shown.pages
        if "api/openapi.json" not in pages:
            pages["api/openapi.json"] = Content.of(to_json(self.described(desk, request)).encode())
        return answered(request, pages["api/openapi.json"], JSON)

    async def page(self, desk: Desk, request: Request, _: object) -> Response:
        """The description for people."""
        site, _mark, pages = desk.showing.shown
        if "api" not in pages:
            told = self.described(desk, request)
            words = {"api": told, "parts": parts(told), "shape": shape, "taken": taken}
            pages["api"] = Content.of(render(site.pages, "api.html", "api", **words))
        return answered(request, pages["api"], HTML)


def parts(described: dict[str, Any]) -> list[dict[str, Any]]:
    """All operations one after another, those with which something is sent at first."""
    found = [
        {"method": method.upper(), "path": path, **operation}
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return sorted(found, key=lambda one: one["method"] != "POST")


def shape(takes: dict[str, Any]) -> str:
    """What a part of an answer is, in words."""
    match takes:
        case {"$ref": place}:
            told = place.split("/")[-1]
        case {"anyOf": kinds}:
            told = " or ".join(shape(one) for one in kinds)
        case {"enum": values}:
            told = " or ".join(map(str, values))
        case {"type": "array", "prefixItems": kinds}:
            told = f"list of {' and '.join(shape(one) for one in kinds)}"
        case {"type": "array", "items": kind}:
            told = f"list of {shape(kind)}"
        case {"type": "object", "additionalProperties": kind}:
            told = f"object of {shape(kind)}"
        case _:
            told = takes.get("type", "anything")
    return str(told)
