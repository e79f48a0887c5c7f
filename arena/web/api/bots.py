"""Bots of the ladder, with their versions and how each of them stands."""

from bisect import bisect_right
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.ladder.facts import State, Version
from arena.ratings.standings import Line
from arena.report.pages import Pages
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import Answer, Operation

Name = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$",
        max_length=32,
        description="the name that all versions of a bot share",
    ),
]
Limit = Annotated[int, Meta(ge=1, le=1000, description="so many at most")]


class Listed(Struct, frozen=True):
    """Which bots are wanted."""

    after: (
        Annotated[
            str,
            Meta(pattern="^[A-Za-z0-9._-]{1,32}$", max_length=32, description="those after this"),
        ]
        | UnsetType
    ) = UNSET
    limit: Limit = 100


class Named(Struct, frozen=True):
    """Which bot is wanted, and which of its versions."""

    name: Name
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
    line: Line


class VersionOf(Struct, frozen=True, kw_only=True):
    """A version, and how it stands."""

    bot: str
    number: int
    state: State
    why: str
    """Why it was retired."""
    message: str
    submitted: str
    until: str | None
    author: str
    language: str
    description: str
    rating: Line | None
    """Overall; without a rank if it is not active or has not played everywhere."""
    parts: tuple[InPart, ...]
    """In each part of the ladder where it has played."""
    page: str | None


class Bot(Struct, frozen=True, kw_only=True):
    """A bot with its last versions, the first one of them first."""

    name: str
    owner: str
    """Empty: a reference bot, which is nobody's."""
    versions: tuple[VersionOf, ...]
    next: int | None
    """What to ask for `before`, if there are earlier ones."""


class Entry(Struct, frozen=True, kw_only=True):
    """A bot in a list: its active version, or else its last one."""

    name: str
    owner: str
    versions: int
    bot: str
    state: State
    rating: Line | None
    page: str | None


class Bots(Struct, frozen=True, kw_only=True):
    """Some bots, by their names."""

    bots: tuple[Entry, ...]
    next: str | None
    """What to ask for `after`, if there are more."""


async def bots(desk: Desk, _: Request, asked: Listed) -> Bots:
    """Some bots after the one that is named."""
    pages = await desk.standing()
    by_name: dict[str, list[Version]] = {}
    for one in await desk.registered(lambda registry: registry.versions()):
        by_name.setdefault(one.name, []).append(one)
    names = sorted(by_name)
    first = 0 if asked.after is UNSET else bisect_right(names, asked.after)
    some = names[first : first + asked.limit]
    return Bots(
        bots=tuple(entry(pages, by_name[name]) for name in some),
        next=some[-1] if len(names) > first + asked.limit else None,
    )


def entry(pages: Pages, versions: list[Version]) -> Entry:
    """A bot as it stands in a list."""
    shown = next((one for one in versions if one.state == "active"), versions[-1])
    return Entry(
        name=shown.name,
        owner=shown.owner,
        versions=len(versions),
        bot=shown.bot,
        state=shown.state,
        rating=overall(pages, shown.bot),
        page=pages.paths.get(shown.bot),
    )


async def bot(desk: Desk, _: Request, asked: Named) -> Bot:
    """Everything about a bot."""
    pages = await desk.standing()
    versions = await desk.registered(lambda registry: registry.versions(name=asked.name))
    if not versions:
        raise Failure(404, f"there is no bot {asked.name}")
    earlier = [one for one in versions if asked.before is UNSET or one.number < asked.before]
    some = earlier[-asked.limit :]
    return Bot(
        name=versions[-1].name,
        owner=versions[-1].owner,
        versions=tuple(version(pages, one) for one in some),
        next=some[0].number if len(earlier) > len(some) else None,
    )


def version(pages: Pages, one: Version) -> VersionOf:
    """A version, and how it stands."""
    shown = one.bot in pages.paths
    return VersionOf(
        bot=one.bot,
        number=one.number,
        state=one.state,
        why=one.why,
        message=one.message,
        submitted=one.submitted,
        until=one.until,
        author=one.author,
        language=one.language,
        description=one.description,
        rating=overall(pages, one.bot),
        parts=tuple(
            InPart(variant=scope.variant, seats=scope.seats, ranked=ranked, line=line)
            for scope, ranked, line in (pages.lines(one.bot) if shown else ())
            if scope.variant or scope.seats
        ),
        page=pages.paths.get(one.bot),
    )


def overall(pages: Pages, name: str) -> Line | None:
    """How a version stands, if the site knows it."""
    return pages.known["index.html"].get(name)


OPERATIONS = (
    Operation(
        name="bots",
        method="GET",
        path="/api/bots",
        says="All bots by their names, some at a time: ask again after the last one.",
        handle=bots,
        asked=Listed,
        answers={200: Answer("Some bots", Bots)},
    ),
    Operation(
        name="bot",
        method="GET",
        path="/api/bots/{name}",
        says="A bot with its versions: what each said, whether it plays, and how it stands. Of "
        "very many the last ones: ask again before `next` until it is null.",
        handle=bot,
        asked=Named,
        answers={200: Answer("The bot", Bot), 404: Answer("There is no such bot")},
    ),
)
