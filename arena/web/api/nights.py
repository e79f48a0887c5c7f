"""Nights of the ladder."""

from itertools import accumulate
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.ladder.facts import Night
from arena.ladder.registry import Registry
from arena.web.api.desk import Desk
from arena.web.api.operations import Answer, Operation

LONGEST: Final = 1 << 20
"""Bytes of the nights in an answer; one night is answered whatever its length."""


class Asked(Struct, frozen=True):
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


async def nights(desk: Desk, _: Request, asked: Asked) -> Nights:
    """Some nights before the one that is named."""
    return await desk.registered(lambda registry: chosen(registry, asked))


def chosen(registry: Registry, asked: Asked) -> Nights:
    """Those that are asked for; fewer of them if they are long."""
    before = None if asked.before is UNSET else asked.before
    found = registry.nights(before, asked.limit + 1)[::-1]
    sizes = accumulate(len(msgspec.json.encode(one)) for one in found)
    fitting = sum(size <= LONGEST for size in sizes)
    some = found[: min(asked.limit, max(fitting, 1))]
    return Nights(nights=tuple(some), next=some[-1].number if len(found) > len(some) else None)


OPERATION = Operation(
    name="nights",
    method="GET",
    path="/api/nights",
    says="The nights, the last one first, some at a time: who played, and what each has changed. "
    "Ask again before `next` until it is null.",
    handle=nights,
    asked=Asked,
    answers={200: Answer("Some nights", Nights)},
)
