"""Standings as they are shown on the site, for programs."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from arena.ratings.standings import Table
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import JSON, Answer, Operation, told
from arena.web.showing import Content

Variant = Annotated[
    str,
    Meta(
        pattern="^[a-z-]{1,20}([+][a-z-]{1,20}){0,5}$",
        max_length=120,
        description="only games of this variant",
    ),
]
Seats = Annotated[int, Meta(ge=2, le=10, description="only tables of this size")]


class Asked(Struct, frozen=True):
    """Which standings are wanted: overall, of a variant, of a size, or of one cell."""

    variant: Variant | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET


class Standing(Struct, frozen=True, kw_only=True):
    """The standings as they were worked out last."""

    made: str
    """When, in UTC."""
    table: Table


async def standings(desk: Desk, _: Request, asked: Asked) -> Response:
    """The table that is shown on the page of these cells."""
    site, _mark, pages = desk.showing.shown
    wanted = {
        cell
        for cell in site.pages.survey.scopes[0].cells
        if asked.variant in (UNSET, cell.variant) and asked.seats in (UNSET, cell.seats)
    }
    paths = [path for path, one in site.pages.scopes.items() if set(one.cells) == wanted]
    if not paths or not (wanted or asked == Asked()):
        raise Failure(404, "nothing of this was played yet")
    kept = f"api/standings {paths[0]}"
    if kept not in pages:
        tables = await desk.done(lambda: site.pages.tables)
        made = site.pages.survey.made
        answer = told(Standing(made=made, table=tables[paths[0]]))
        pages[kept] = Content.of(bytes(answer.body))
    return Response(pages[kept].body, headers={"cache-control": "no-store"}, media_type=JSON)


OPERATION = Operation(
    name="standings",
    method="GET",
    path="/api/standings",
    says="The standings of all active versions: overall, of a variant, of a size, or of a cell.",
    handle=standings,
    asked=Asked,
    answers={
        200: Answer("The standings", Standing),
        404: Answer("Nothing of this was played yet"),
    },
)
