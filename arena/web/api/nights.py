"""Nights of the ladder."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.ladder.facts import Night
from arena.web.api.desk import Desk
from arena.web.api.operations import Answer, Operation


class Asked(Struct, frozen=True):
    """Which nights are wanted."""

    before: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="those before this one")] | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="so many at most")] = 10


class Nights(Struct, frozen=True, kw_only=True):
    """Some nights, the last one first."""

    nights: tuple[Night, ...]
    next: int | None
    """What to ask for `before`, if there are more."""


async def nights(desk: Desk, _: Request, asked: Asked) -> Nights:
    """Some nights before the one that is named."""
    return chosen(await desk.registered(lambda registry: registry.nights()), asked)


def chosen(every: Sequence[Night], asked: Asked) -> Nights:
    """Those that are asked for, of all in their order."""
    older = [one for one in every if asked.before is UNSET or one.number < asked.before]
    some = older[: -asked.limit - 1 : -1]
    more = len(older) > len(some)
    return Nights(nights=tuple(some), next=some[-1].number if more else None)


OPERATION = Operation(
    name="nights",
    method="GET",
    path="/api/nights",
    says="The nights, the last one first: who played, and what each has changed.",
    handle=nights,
    asked=Asked,
    answers={200: Answer("Some nights", Nights)},
)
