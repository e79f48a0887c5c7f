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
from arena.web.api.routing import JSON, DocumentedResponse, Operation, json_response
from arena.web.errors import ApiError
from arena.web.site_cache import TaggedContent

MAX_NIGHT_BYTES: Final = 1 << 20
"""Bytes of the nights in an answer; it always has at least one night."""
Variant = Annotated[
    str,
    Meta(
        pattern="^[a-z-]{1,20}([+][a-z-]{1,20}){0,5}$",
        max_length=120,
        description="only games of this variant",
    ),
]
Seats = Annotated[int, Meta(ge=2, le=10, description="only tables of this size")]


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
    """Answer a request for nights."""
    return await context.read_registry(lambda registry: select_nights(registry, query))


def select_nights(registry: Registry, query: NightsQuery) -> Nights:
    """Select nights, fewer of them if they are long."""
    before = None if query.before is UNSET else query.before
    nights = registry.nights(before, query.limit + 1)[::-1]
    sizes = accumulate(len(msgspec.json.encode(one)) for one in nights)
    fitting = sum(size <= MAX_NIGHT_BYTES for size in sizes)
    selected = nights[: min(query.limit, max(fitting, 1))]
    return Nights(
        nights=tuple(selected), next=selected[-1].number if len(nights) > len(selected) else None
    )


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
    """Answer with the table that the page of these cells shows."""
    site, _mark, pages = context.site_cache.current
    cells = {
        cell
        for cell in site.pages.survey.scopes[0].cells
        if query.variant in (UNSET, cell.variant) and query.seats in (UNSET, cell.seats)
    }
    paths = [path for path, one in site.pages.scopes.items() if set(one.cells) == cells]
    if not paths or not (cells or query == StandingsQuery()):
        raise ApiError(404, "nothing of this was played yet")
    cache_key = f"api/standings {paths[0]}"
    if cache_key not in pages:
        tables = await context.run_in_thread(lambda: site.pages.tables)
        computed_at = site.pages.survey.computed_at
        response = json_response(Standing(made=computed_at, table=tables[paths[0]]))
        pages[cache_key] = TaggedContent.of(bytes(response.body))
    return Response(pages[cache_key].body, headers={"cache-control": "no-store"}, media_type=JSON)


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
