"""API: bots, their versions and standings, and the faults of a bot for its owner."""

from bisect import bisect_right
from dataclasses import asdict
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.ladder.models import Version
from arena.ratings.standings import StandingsLine
from arena.referee.faults import Evidence
from arena.report.data.fault_details import load_fault
from arena.report.data.ladder_info import VersionState
from arena.report.pages.base import Pages
from arena.store.run import Run
from arena.web.api.context import ApiContext
from arena.web.api.routing import (
    RETRY_AFTER_HEADER,
    WRONG_TOKEN_RESPONSE,
    DocumentedResponse,
    Operation,
)
from arena.web.api_errors import ApiError

BotName = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$",
        max_length=32,
        description="the name that all versions of a bot share",
    ),
]
PageLimit = Annotated[int, Meta(ge=1, le=1000, description="the maximum number of items")]
MAX_FAULT_BYTES: Final = 1 << 20
"""Bytes of faults after which a response contains no further ones."""


class BotsQuery(Struct, frozen=True):
    """The page of the list of bots to return."""

    after: (
        Annotated[
            str,
            Meta(
                pattern="^[A-Za-z0-9._-]{1,32}$",
                max_length=32,
                description="only names after this one",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: PageLimit = 100


class BotQuery(Struct, frozen=True):
    """The bot to return, and the page of its versions."""

    name: BotName
    before: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="only versions before this one")]
        | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="the maximum number of versions")] = 100


class PartStanding(Struct, frozen=True, kw_only=True):
    """The standing of a version in a variant, at a size of table, or in one cell."""

    variant: str | None
    seats: int | None
    ranked: int
    """The number of ranked versions."""
    line: StandingsLine


class VersionDetails(Struct, frozen=True, kw_only=True):
    """A version of a bot with its standings."""

    bot: str
    number: int
    state: VersionState
    why: str
    """Why it was retired."""
    message: str
    submitted: str
    until: str | None
    author: str
    language: str
    description: str
    rating: StandingsLine | None
    """Overall; without a rank if it is not active or has not played everywhere."""
    parts: tuple[PartStanding, ...]
    """In each part of the ladder where it has played."""
    page: str | None


class BotDetails(Struct, frozen=True, kw_only=True):
    """A bot with its latest versions, in the order of their numbers."""

    name: str
    owner: str
    """Empty for reference bots."""
    versions: tuple[VersionDetails, ...]
    next: int | None
    """The value of `before` for the previous page; null if there is none."""


class BotSummary(Struct, frozen=True, kw_only=True):
    """A bot in a list, with its active version or else its last one."""

    name: str
    owner: str
    versions: int
    bot: str
    state: VersionState
    rating: StandingsLine | None
    page: str | None


class BotList(Struct, frozen=True, kw_only=True):
    """A page of the list of bots, by name."""

    bots: tuple[BotSummary, ...]
    next: str | None
    """The value of `after` for the next page; null if there is none."""


async def list_bots(context: ApiContext, _: Request, query: BotsQuery) -> BotList:
    """Return a page of the list of bots."""
    pages = await context.site_pages()
    by_name: dict[str, list[Version]] = {}
    for one in await context.read_registry(lambda registry: registry.versions()):
        by_name.setdefault(one.name, []).append(one)
    names = sorted(by_name)
    first = 0 if query.after is UNSET else bisect_right(names, query.after)
    selected = names[first : first + query.limit]
    return BotList(
        bots=tuple(bot_summary(pages, by_name[name]) for name in selected),
        next=selected[-1] if len(names) > first + query.limit else None,
    )


def bot_summary(pages: Pages, versions: list[Version]) -> BotSummary:
    """A bot with its active version, or else its last one."""
    version = next((one for one in versions if one.state == "active"), versions[-1])
    return BotSummary(
        name=version.name,
        owner=version.owner,
        versions=len(versions),
        bot=version.bot,
        state=version.state,
        rating=overall_line(pages, version.bot),
        page=pages.bot_paths.get(version.bot),
    )


async def get_bot(context: ApiContext, _: Request, query: BotQuery) -> BotDetails:
    """Return a bot with its versions."""
    pages = await context.site_pages()
    versions = await context.read_registry(lambda registry: registry.versions(name=query.name))
    if not versions:
        raise ApiError(404, f"there is no bot {query.name}")
    earlier = [one for one in versions if query.before is UNSET or one.number < query.before]
    selected = earlier[-query.limit :]
    return BotDetails(
        name=versions[-1].name,
        owner=versions[-1].owner,
        versions=tuple(version_details(pages, one) for one in selected),
        next=selected[0].number if len(earlier) > len(selected) else None,
    )


def version_details(pages: Pages, version: Version) -> VersionDetails:
    """A version with its ratings."""
    has_page = version.bot in pages.bot_paths
    fields = VersionDetails.__struct_fields__
    return VersionDetails(
        **{name: value for name, value in asdict(version).items() if name in fields},
        rating=overall_line(pages, version.bot),
        parts=tuple(
            PartStanding(variant=scope.variant, seats=scope.seats, ranked=ranked, line=line)
            for scope, ranked, line in (pages.bot_lines(version.bot) if has_page else ())
            if scope.variant or scope.seats
        ),
        page=pages.bot_paths.get(version.bot),
    )


def overall_line(pages: Pages, name: str) -> StandingsLine | None:
    """The overall line of a version, if the site has one."""
    return pages.lines_by_bot["index.html"].get(name)


BOT_OPERATIONS = (
    Operation(
        name="bots",
        method="GET",
        path="/api/bots",
        summary="List the bots by name, in pages: pass `next` as `after`.",
        handler=list_bots,
        query_type=BotsQuery,
        responses={200: DocumentedResponse("A page of bots", BotList)},
    ),
    Operation(
        name="bot",
        method="GET",
        path="/api/bots/{name}",
        summary="A bot with its versions: message, state and standings of each. Pages begin with "
        "the latest versions: pass `next` as `before`.",
        handler=get_bot,
        query_type=BotQuery,
        responses={
            200: DocumentedResponse("The bot", BotDetails),
            404: DocumentedResponse("There is no such bot"),
        },
    ),
)


class FaultsQuery(Struct, frozen=True):
    """The bot whose faults to return, and how many."""

    name: BotName
    version: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="only faults of this version")]
        | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=100, description="the maximum number of faults; fewer if they are long")
    ] = 20


class BotFault(Struct, frozen=True, kw_only=True):
    """A fault of a version with its evidence."""

    bot: str
    game: str
    variant: str
    seat: int
    fault: str
    text: str
    evidence: Evidence


class BotFaults(Struct, frozen=True, kw_only=True):
    """Faults of a bot, the last version first, by the ids of their games."""

    faults: tuple[BotFault, ...]
    more: bool
    """Whether there are others; select a single version, or raise `limit`."""


async def list_faults(context: ApiContext, request: Request, query: FaultsQuery) -> BotFaults:
    """Return faults of a bot to its owner."""
    owner = await context.authenticate(request)
    versions = await context.read_registry(lambda registry: registry.versions(name=query.name))
    if not versions or versions[-1].owner != owner:
        raise ApiError(404, f"{owner} has no bot {query.name}")
    names = [one.bot for one in reversed(versions) if query.version in (UNSET, one.number)]
    return await context.read_run(lambda run: select_faults(run, names, query.limit))


def select_faults(run: Run, names: list[str], limit: int) -> BotFaults:
    """Load faults of some versions, as many as fit into an answer."""
    bots_with_faults = {name for name, _ in run.fault_counts()}
    rows = (row for name in names if name in bots_with_faults for row in run.faults(bot=name))
    faults: list[BotFault] = []
    size = 0
    for row in rows:
        if len(faults) == limit or size > MAX_FAULT_BYTES:
            return BotFaults(faults=tuple(faults), more=True)
        faults.append(
            BotFault(
                bot=row.bot,
                game=row.game,
                variant=row.variant,
                seat=row.seat,
                fault=row.fault,
                text=row.text,
                evidence=load_fault(run, row).evidence,
            )
        )
        size += len(msgspec.json.encode(faults[-1]))
    return BotFaults(faults=tuple(faults), more=False)


FAULT_OPERATIONS = (
    Operation(
        name="faults",
        method="GET",
        path="/api/bots/{name}/faults",
        summary="Faults of your bot with request, reply and stderr; only the bot's owner may read "
        "them.",
        handler=list_faults,
        query_type=FaultsQuery,
        responses={
            200: DocumentedResponse("Faults", BotFaults),
            401: WRONG_TOKEN_RESPONSE,
            404: DocumentedResponse("The owner of this token has no such bot"),
            429: DocumentedResponse("Too many tokens were wrong", headers=RETRY_AFTER_HEADER),
        },
        needs_token=True,
    ),
)
