"""API: standings overall or by variant and seats, and the nights of the ladder."""

from itertools import accumulate
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from arena.ladder.models import Night
from arena.ladder.registry import Registry
from arena.ratings.standings import StandingsTable
from arena.web.api.context import ApiContext
from arena.web.api.operations import JSON, DocumentedResponse, Operation, json_response
from arena.web.errors import ApiError
from arena.web.site_cache import TaggedContent

MAX_NIGHT_BYTES: Final = 1 << 20
"""Bytes of the nights in an answer; one night is answered whatever its length."""


class NightsQuery(Struct, frozen=True):
    """Which nights are wanted."""

    before: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="those before this one")] | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=100, description="so many at most; fewer if they are long")
    ] = 10


class Nights(Struct, frozen=True, kw_only=True):
    """Some nights, the last one first."""

    nights: tuple[Night, ...]
    next: int | None
    """What to ask for `before`, if there are more."""


async def list_nights(context: ApiContext, _: Request, query: NightsQuery) -> Nights:
    """Some nights before the one that is named."""
    return await context.read_registry(lambda registry: select_nights(registry, query))


def select_nights(registry: Registry, query: NightsQuery) -> Nights:
    """Those that are asked for; fewer of them if they are long."""
    before = None if query.before is UNSET else query.before
    found = registry.nights(before, query.limit + 1)[::-1]
    sizes = accumulate(len(msgspec.json.encode(one)) for one in found)
    fitting = sum(size <= MAX_NIGHT_BYTES for size in sizes)
    some = found[: min(query.limit, max(fitting, 1))]
    return Nights(nights=tuple(some), next=some[-1].number if len(found) > len(some) else None)


NIGHTS_OPERATION = Operation(
    name="nights",
    method="GET",
    path="/api/nights",
    summary="The nights, the last one first, some at a time: who played, and what each changed. "
    "Ask again before `next` until it is null.",
    handler=list_nights,
    query_type=NightsQuery,
    responses={200: DocumentedResponse("Some nights", Nights)},
)

Variant = Annotated[
    str,
    Meta(
        pattern="^[a-z-]{1,20}([+][a-z-]{1,20}){0,5}$",
        max_length=120,
        description="only games of this variant",
    ),
]
Seats = Annotated[int, Meta(ge=2, le=10, description="only tables of this size")]


class StandingsQuery(Struct, frozen=True):
    """Which standings are wanted: overall, of a variant, of a size, or of one cell."""

    variant: Variant | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET


class Standing(Struct, frozen=True, kw_only=True):
    """The standings as they were worked out last."""

    made: str
    """When, in UTC."""
    table: StandingsTable


async def get_standings(context: ApiContext, _: Request, query: StandingsQuery) -> Response:
    """The table that is shown on the page of these cells."""
    site, _mark, pages = context.site_cache.current
    wanted = {
        cell
        for cell in site.pages.survey.scopes[0].cells
        if query.variant in (UNSET, cell.variant) and query.seats in (UNSET, cell.seats)
    }
    paths = [path for path, one in site.pages.scopes.items() if set(one.cells) == wanted]
    if not paths or not (wanted or query == StandingsQuery()):
        raise ApiError(404, "nothing of this was played yet")
    kept = f"api/standings {paths[0]}"
    if kept not in pages:
        tables = await context.run_in_thread(lambda: site.pages.tables)
        made = site.pages.survey.computed_at
        answer = json_response(Standing(made=made, table=tables[paths[0]]))
        pages[kept] = TaggedContent.of(bytes(answer.body))
    return Response(pages[kept].body, headers={"cache-control": "no-store"}, media_type=JSON)


STANDINGS_OPERATION = Operation(
    name="standings",
    method="GET",
    path="/api/standings",
    summary="The standings of all active versions: overall, of a variant, of a size, or of a cell.",
    handler=get_standings,
    query_type=StandingsQuery,
    responses={
        200: DocumentedResponse("The standings", Standing),
        404: DocumentedResponse("Nothing of this was played yet"),
    },
)
