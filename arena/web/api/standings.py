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
from arena.web.api_errors import ApiError
from arena.web.site_cache import TaggedContent

MAX_NIGHT_BYTES: Final = 1 << 20
"""Bytes of the nights in a response; it always contains at least one night."""
VariantName = Annotated[
    str,
    Meta(
        pattern="^[a-z-]{1,20}([+][a-z-]{1,20}){0,5}$",
        max_length=120,
        description="only games of this variant",
    ),
]
SeatCount = Annotated[int, Meta(ge=2, le=10, description="only tables of this size")]


class NightsQuery(Struct, frozen=True):
    """The page of nights to return."""

    before: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="only nights before this one")]
        | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=100, description="the maximum number of nights; fewer if they are long")
    ] = 10


class NightList(Struct, frozen=True, kw_only=True):
    """A page of nights, the last one first."""

    nights: tuple[Night, ...]
    next: int | None
    """The value of `before` for the next page; null if there is none."""


async def list_nights(context: ApiContext, _: Request, query: NightsQuery) -> NightList:
    """Return a page of nights."""
    return await context.read_registry(lambda registry: select_nights(registry, query))


def select_nights(registry: Registry, query: NightsQuery) -> NightList:
    """Select nights, fewer of them if they are long."""
    before = None if query.before is UNSET else query.before
    nights = registry.nights(before, query.limit + 1)[::-1]
    sizes = accumulate(len(msgspec.json.encode(one)) for one in nights)
    fitting = sum(size <= MAX_NIGHT_BYTES for size in sizes)
    selected = nights[: min(query.limit, max(fitting, 1))]
    return NightList(
        nights=tuple(selected), next=selected[-1].number if len(nights) > len(selected) else None
    )


NIGHTS_OPERATION = Operation(
    name="nights",
    method="GET",
    path="/api/nights",
    summary="List the nights with their changes, the last one first, in pages: pass `next` as "
    "`before` until it is null.",
    handler=list_nights,
    query_type=NightsQuery,
    responses={200: DocumentedResponse("A page of nights", NightList)},
)


class StandingsQuery(Struct, frozen=True):
    """The standings to return: overall, of a variant, of a size, or of one cell."""

    variant: VariantName | UnsetType = UNSET
    seats: SeatCount | UnsetType = UNSET


class CurrentStandings(Struct, frozen=True, kw_only=True):
    """The standings as they were last computed."""

    made: str
    """When they were computed, in UTC."""
    table: StandingsTable


async def get_standings(context: ApiContext, _: Request, query: StandingsQuery) -> Response:
    """Return the table that the page of these cells shows."""
    site, _revision, rendered_pages = context.site_cache.current
    cells = {
        cell
        for cell in site.pages.survey.scopes[0].cells
        if query.variant in (UNSET, cell.variant) and query.seats in (UNSET, cell.seats)
    }
    paths = [path for path, one in site.pages.scopes.items() if set(one.cells) == cells]
    if not paths or not (cells or query == StandingsQuery()):
        raise ApiError(404, "no game of this was played yet")
    cache_key = f"api/standings {paths[0]}"
    if cache_key not in rendered_pages:
        tables = await context.run_in_thread(lambda: site.pages.tables)
        computed_at = site.pages.survey.computed_at
        response = json_response(CurrentStandings(made=computed_at, table=tables[paths[0]]))
        rendered_pages[cache_key] = TaggedContent.of(bytes(response.body))
    return Response(
        rendered_pages[cache_key].body, headers={"cache-control": "no-store"}, media_type=JSON
    )


STANDINGS_OPERATION = Operation(
    name="standings",
    method="GET",
    path="/api/standings",
    summary="The standings of all active versions: overall, of a variant, of a size, or of a cell.",
    handler=get_standings,
    query_type=StandingsQuery,
    responses={
        200: DocumentedResponse("The standings", CurrentStandings),
        404: DocumentedResponse("No game of this was played yet"),
    },
)
