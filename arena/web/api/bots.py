"""API: bots, their versions and standings, and the faults of a bot for its owner."""

from bisect import bisect_right
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.ladder.models import Version
from arena.ratings.standings import StandingsLine
from arena.referee.faults import Evidence
from arena.report.data.faults import load_fault
from arena.report.data.ladder_info import VersionState
from arena.report.pages.base import Pages
from arena.store.run import Run
from arena.web.api.context import ApiContext
from arena.web.api.routing import DocumentedResponse, Operation
from arena.web.api.submissions import RETRY, UNAUTHORIZED
from arena.web.errors import ApiError

BotName = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$",
        max_length=32,
        description="the name that all versions of a bot share",
    ),
]
PageLimit = Annotated[int, Meta(ge=1, le=1000, description="so many at most")]
MAX_FAULT_BYTES: Final = 1 << 20
"""Bytes of faults after which an answer takes no further ones."""


class BotsQuery(Struct, frozen=True):
    """Which bots are wanted."""

    after: (
        Annotated[
            str,
            Meta(pattern="^[A-Za-z0-9._-]{1,32}$", max_length=32, description="those after this"),
        ]
        | UnsetType
    ) = UNSET
    limit: PageLimit = 100


class BotQuery(Struct, frozen=True):
    """Which bot is wanted, and which of its versions."""

    name: BotName
    before: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="versions before this one")] | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="so many versions at most")] = 100


class InPart(Struct, frozen=True, kw_only=True):
    """How a version stands in a variant, at a size of table, or in one cell."""

    variant: str | None
    seats: int | None
    ranked: int
    """Among so many."""
    line: StandingsLine


class VersionOf(Struct, frozen=True, kw_only=True):
    """A version, and how it stands."""

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
    parts: tuple[InPart, ...]
    """In each part of the ladder where it has played."""
    page: str | None


class BotDetails(Struct, frozen=True, kw_only=True):
    """A bot with its last versions, the first one of them first."""

    name: str
    owner: str
    """Empty: a reference bot, which is nobody's."""
    versions: tuple[VersionOf, ...]
    next: int | None
    """What to ask for `before`, if there are earlier ones."""


class BotSummary(Struct, frozen=True, kw_only=True):
    """A bot in a list: its active version, or else its last one."""

    name: str
    owner: str
    versions: int
    bot: str
    state: VersionState
    rating: StandingsLine | None
    page: str | None


class Bots(Struct, frozen=True, kw_only=True):
    """Some bots, by their names."""

    bots: tuple[BotSummary, ...]
    next: str | None
    """What to ask for `after`, if there are more."""


async def list_bots(context: ApiContext, _: Request, query: BotsQuery) -> Bots:
    """Answer a request for the list of bots."""
    pages = await context.site_pages()
    by_name: dict[str, list[Version]] = {}
    for one in await context.read_registry(lambda registry: registry.versions()):
        by_name.setdefault(one.name, []).append(one)
    names = sorted(by_name)
    first = 0 if query.after is UNSET else bisect_right(names, query.after)
    selected = names[first : first + query.limit]
    return Bots(
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
    """Answer a request for a bot."""
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


def version_details(pages: Pages, version: Version) -> VersionOf:
    """A version with its ratings."""
    has_page = version.bot in pages.bot_paths
    return VersionOf(
        bot=version.bot,
        number=version.number,
        state=version.state,
        why=version.why,
        message=version.message,
        submitted=version.submitted,
        until=version.until,
        author=version.author,
        language=version.language,
        description=version.description,
        rating=overall_line(pages, version.bot),
        parts=tuple(
            InPart(variant=scope.variant, seats=scope.seats, ranked=ranked, line=line)
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
        summary="All bots by their names, some at a time: ask again after the last one.",
        handler=list_bots,
        query_type=BotsQuery,
        responses={200: DocumentedResponse("Some bots", Bots)},
    ),
    Operation(
        name="bot",
        method="GET",
        path="/api/bots/{name}",
        summary="A bot with its versions: what each said, whether it plays, and how it stands. Of "
        "very many the last ones: ask again before `next` until it is null.",
        handler=get_bot,
        query_type=BotQuery,
        responses={
            200: DocumentedResponse("The bot", BotDetails),
            404: DocumentedResponse("There is no such bot"),
        },
    ),
)


class FaultsQuery(Struct, frozen=True):
    """Whose faults are wanted, and how many."""

    name: BotName
    version: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="only those of this version")]
        | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=100, description="so many in all at most; fewer if they are long")
    ] = 20


class FaultOf(Struct, frozen=True, kw_only=True):
    """A fault of a version, with all that shows it."""

    bot: str
    game: str
    variant: str
    seat: int
    fault: str
    text: str
    evidence: Evidence


class BotFaults(Struct, frozen=True, kw_only=True):
    """Faults of a bot: those of its last version first, by the ids of their games."""

    faults: tuple[FaultOf, ...]
    more: bool
    """Whether there are others; ask for a single version, or for more."""


async def list_faults(context: ApiContext, request: Request, query: FaultsQuery) -> BotFaults:
    """Answer a request for faults by the owner of the bot."""
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
    faults: list[FaultOf] = []
    size = 0
    for row in rows:
        if len(faults) == limit or size > MAX_FAULT_BYTES:
            return BotFaults(faults=tuple(faults), more=True)
        faults.append(
            FaultOf(
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
        summary="Faults of your bot with request, reply and stderr; a token is wanted, and it is "
        "answered to the bot's owner only.",
        handler=list_faults,
        query_type=FaultsQuery,
        responses={
            200: DocumentedResponse("Some faults", BotFaults),
            401: UNAUTHORIZED,
            404: DocumentedResponse("The owner of this token has no such bot"),
            429: DocumentedResponse("Too many tokens were wrong", headers=RETRY),
        },
        needs_token=True,
    ),
)
