"""Check a bot against the protocol step by step, or only whether it starts."""

from collections.abc import Iterator, Sequence
from threading import Event
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.conformance.conversation import (
    CheckCallback,
    CheckProgress,
    StepFailure,
    ignore_progress,
    open_conversation,
)
from arena.conformance.scripted_game import BotUnderTest
from arena.conformance.steps import STEPS, CheckStep
from arena.errors import BadBot
from arena.games.catalog import Variant
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.connection import MAX_EVIDENCE_BYTES

DEFAULT_LIMITS = Limits(wall=10)
"""Less patient than a tournament: who waits is a person."""


class StepResult(Struct, frozen=True, omit_defaults=True):
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
    limits: Limits = DEFAULT_LIMITS,
    on_progress: CheckCallback = ignore_progress,
) -> Iterator[StepResult]:
    """Try all steps, while somebody watches how far each has come."""
    candidate = BotUnderTest(bot, launcher, limits, list(variants))
    hopeless = False
    for step in STEPS:
        if hopeless:
            yield StepResult(step.name, step.clause, step.says, None)
            continue
        outcome = run_step(step, candidate, CheckProgress(step.name, on_progress).begin())
        yield outcome
        hopeless = step.basic and not outcome.passed
        if ready := candidate.ready:
            candidate.variants = [v for v in variants if ready.plays(v.name)]
            if not candidate.variants:
                named = ", ".join(ready.variants or ())
                raise BadBot(f"{bot.name} plays none of the variants asked for, but {named}")


def run_step(step: CheckStep, candidate: BotUnderTest, progress: CheckProgress) -> StepResult:
    """Try one step with a fresh process."""
    talk = None
    try:
        with open_conversation(
            candidate.bot, candidate.launcher, candidate.limits, progress
        ) as talk:
            remark = step.run(candidate, talk)
    except StepFailure as failure:
        return StepResult(
            step.name,
            failure.clause,
            step.says,
            passed=False,
            text=failure.text,
            request=failure.request,
            reply=failure.reply,
            stderr=talk.stderr.tail(MAX_EVIDENCE_BYTES) if talk else "",
        )
    return StepResult(step.name, step.clause, step.says, passed=True, text=remark or "")


def find_startup_problem(
    bot: Bot, variants: Sequence[str], config: RefereeConfig, cancelled: Event | None = None
) -> str:
    """Why a bot cannot play these variants; empty if it can.

    Another thread ends the wait for its answer by setting `cancelled`.
    """
    try:
        with (
            Launcher(config.sandbox) as launcher,
            open_conversation(bot, launcher, config.limits or Limits()) as talk,
        ):
            talk.cancelled = cancelled
            ready = talk.handshake()
    except StepFailure as failure:
        return f"{bot.name} does not start: {failure.text}"
    for name in variants:
        if not ready.plays(name):
            return f"{bot.name} says that it does not play {name}"
    return ""
