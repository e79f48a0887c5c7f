"""A check: all steps one after another, and what came of each."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.conformance.candidate import Candidate
from arena.conformance.conversation import conversation
from arena.conformance.failure import Failure
from arena.conformance.pace import Pace, Watch, nobody
from arena.conformance.steps import STEPS, Step
from arena.errors import BadBot
from arena.games.catalog import Variant
from arena.match.player import TAIL
from arena.protocol.messages import Limits

LIMITS = Limits(wall=10)
"""Less patient than a tournament: who waits is a person."""


class Outcome(Struct, frozen=True, omit_defaults=True):
    """How a step went."""

    step: str
    clause: str
    """The clause it comes from; if it failed, the one that was broken."""
    says: str
    passed: bool | None
    """None: not tried, because something failed without which nothing works."""
    text: str = ""
    request: str | None = None
    reply: str | None = None
    stderr: str = ""


def check(
    bot: Bot,
    launcher: Launcher,
    variants: Sequence[Variant[Any]],
    limits: Limits = LIMITS,
    watch: Watch = nobody,
) -> Iterator[Outcome]:
    """Try all steps, while somebody watches how far each has come."""
    candidate = Candidate(bot, launcher, limits, list(variants))
    hopeless = False
    for step in STEPS:
        if hopeless:
            yield Outcome(step.name, step.clause, step.says, None)
            continue
        outcome = attempt(step, candidate, Pace(step.name, watch).begin())
        yield outcome
        hopeless = step.basic and not outcome.passed
        if ready := candidate.ready:
            candidate.variants = [v for v in variants if ready.plays(v.name)]
            if not candidate.variants:
                named = ", ".join(ready.variants or ())
                raise BadBot(f"{bot.name} plays none of the variants asked for, but {named}")


def attempt(step: Step, candidate: Candidate, pace: Pace) -> Outcome:
    """Try one step with a fresh process."""
    talk = None
    try:
        with conversation(candidate.bot, candidate.launcher, candidate.limits, pace) as talk:
            remark = step.run(candidate, talk)
    except Failure as failure:
        return Outcome(
            step.name,
            failure.clause,
            step.says,
            passed=False,
            text=failure.text,
            request=failure.request,
            reply=failure.reply,
            stderr=talk.said.tail(TAIL) if talk else "",
        )
    return Outcome(step.name, step.clause, step.says, passed=True, text=remark or "")
