"""Faults of a bot with all that shows them, for its owner only."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.match.faults import Evidence
from arena.report.charges import charge
from arena.store.run import Run
from arena.web.api.bots import Name
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import Answer, Operation
from arena.web.api.submissions import RETRY

LONGEST: Final = 1 << 20
"""Bytes of faults after which no other is put into an answer."""


class Asked(Struct, frozen=True):
    """Whose faults are wanted, and how many."""

    name: Name
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


class Faults(Struct, frozen=True, kw_only=True):
    """Faults of a bot: those of its last version first, by the ids of their games."""

    faults: tuple[FaultOf, ...]
    more: bool
    """Whether there are others; ask for a single version, or for more."""


async def faults(desk: Desk, request: Request, asked: Asked) -> Faults:
    """The faults of a bot, for its owner."""
    owner = await desk.owner(request)
    versions = await desk.registered(lambda registry: registry.versions(name=asked.name))
    if not versions or versions[-1].owner != owner:
        raise Failure(404, f"{owner} has no bot {asked.name}")
    names = [one.bot for one in reversed(versions) if asked.version in (UNSET, one.number)]
    return await desk.stored(lambda run: some(run, names, asked.limit))


def some(run: Run, names: list[str], limit: int) -> Faults:
    """So many faults of these versions in all, and not more than fit into an answer."""
    guilty = {name for name, _ in run.faulted()}
    every = (one for name in names if name in guilty for one in run.faults(bot=name))
    found: list[FaultOf] = []
    size = 0
    for one in every:
        if len(found) == limit or size > LONGEST:
            return Faults(faults=tuple(found), more=True)
        found.append(
            FaultOf(
                bot=one.bot,
                game=one.game,
                variant=one.variant,
                seat=one.seat,
                fault=one.fault,
                text=one.text,
                evidence=charge(run, one).evidence,
            )
        )
        size += len(msgspec.json.encode(found[-1]))
    return Faults(faults=tuple(found), more=False)


OPERATIONS = (
    Operation(
        name="faults",
        method="GET",
        path="/api/bots/{name}/faults",
        says="Faults of your bot with request, reply and stderr; a token is wanted, and it is "
        "answered to the bot's owner only.",
        handle=faults,
        asked=Asked,
        answers={
            200: Answer("Some faults", Faults),
            401: Answer(
                "The token is missing or not known",
                headers={"WWW-Authenticate": "says that a bearer token is wanted"},
            ),
            404: Answer("The owner of this token has no such bot"),
            429: Answer("Too many tokens were wrong", headers=RETRY),
        },
        secret=True,
    ),
)
