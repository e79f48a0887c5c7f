"""Faults of a bot with all that shows them, for its owner only."""

from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request

from arena.ladder.tokens import owner_of
from arena.match.faults import Evidence
from arena.report.charges import charge
from arena.store.run import Run
from arena.web.api.bots import Name
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import Answer, Operation
from arena.web.api.submissions import RETRY


class Asked(Struct, frozen=True):
    """Whose faults are wanted, and how many."""

    name: Name
    limit: Annotated[int, Meta(ge=1, le=100, description="so many of each version at most")] = 20


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
    """Faults of a bot, by its versions and the ids of their games."""

    faults: tuple[FaultOf, ...]


async def faults(desk: Desk, request: Request, asked: Asked) -> Faults:
    """The faults of a bot, for its owner."""
    token = desk.bearers.shown(request)
    owner = await desk.registered(lambda registry: owner_of(registry, token))
    if owner is None:
        raise desk.bearers.wrong(request)
    versions = await desk.registered(lambda registry: registry.versions(name=asked.name))
    if not versions or versions[-1].owner != owner:
        raise Failure(404, f"{owner} has no bot {asked.name}")
    names = [one.bot for one in versions]
    return await desk.stored(lambda run: Faults(faults=some(run, names, asked.limit)))


def some(run: Run, names: list[str], limit: int) -> tuple[FaultOf, ...]:
    """So many faults of each of these versions."""
    return tuple(
        FaultOf(
            bot=name,
            game=one.game,
            variant=one.variant,
            seat=one.seat,
            fault=one.fault,
            text=one.text,
            evidence=charge(run, one).evidence,
        )
        for name in names
        for one in islice(run.faults(bot=name), limit)
    )


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
