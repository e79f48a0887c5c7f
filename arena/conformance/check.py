"""Check a bot against the protocol step by step, or only whether it starts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from threading import Event
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from arena.conformance.conversation import (
    CheckCallback,
    CheckProgress,
    StepFailure,
    ignore_progress,
    open_conversation,
)
from arena.conformance.scripted_game import BotUnderTest
from arena.conformance.steps import STEPS, CheckStep
from arena.errors import BadBot, UnknownVariant
from arena.games.catalog import VARIANTS, Variant, variant
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.connection import MAX_EVIDENCE_BYTES

DEFAULT_LIMITS = Limits(wall=10)
"""Less real time than in a tournament, since a person waits for the result."""


class StepResult(Struct, frozen=True, omit_defaults=True):
    """How a step went."""

    step: str
    clause: str
    """The clause it comes from; if it failed, the one that was broken."""
    says: str
    passed: bool | None
    """None: not tried, because an essential step has failed."""
    text: str = ""
    request: str | None = None
    reply: str | None = None
    stderr: str = ""


StepResultCallback = Callable[[StepResult], None]
"""Is called after every step."""


@dataclass(frozen=True)
class CheckResult:
    """How all steps went with a bot."""

    bot: Bot
    steps: tuple[StepResult, ...]

    @property
    def failed_steps(self) -> tuple[StepResult, ...]:
        """The steps that failed."""
        return tuple(step for step in self.steps if step.passed is False)

    @property
    def untried_steps(self) -> tuple[StepResult, ...]:
        """The steps that were not tried."""
        return tuple(step for step in self.steps if step.passed is None)

    @property
    def passed(self) -> bool:
        """Whether the bot follows the protocol."""
        return not self.failed_steps


def check_bot(  # noqa: PLR0913 (only the bot is required)
    bot: Bot,
    variants: Sequence[str] = (),
    *,
    limits: Limits = DEFAULT_LIMITS,
    sandbox: Sandbox = NO_SANDBOX,
    on_step: StepResultCallback | None = None,
    on_progress: CheckCallback = ignore_progress,
) -> CheckResult:
    """Check a bot in these variants, which may be patterns such as `stick-em*`; by default all."""
    selected = select_variants(variants)
    steps: list[StepResult] = []
    with Launcher(sandbox) as launcher:
        for step in run_steps(bot, launcher, selected, limits, on_progress):
            steps.append(step)
            if on_step:
                on_step(step)
    return CheckResult(bot, tuple(steps))


def select_variants(names: Sequence[str]) -> list[Variant[Any]]:
    """The variants with these names or patterns, in the order of the catalog; by default all."""
    patterns = [name if set(name) & set("*?[") else variant(name).name for name in names]
    for pattern in patterns:
        if not any(fnmatchcase(each, pattern) for each in VARIANTS):
            raise UnknownVariant(f"no variant is called {pattern!r}; 'arena variants' lists all")
    return [
        each
        for each in VARIANTS.values()
        if not patterns or any(fnmatchcase(each.name, pattern) for pattern in patterns)
    ]


def run_steps(
    bot: Bot,
    launcher: Launcher,
    variants: Sequence[Variant[Any]],
    limits: Limits = DEFAULT_LIMITS,
    on_progress: CheckCallback = ignore_progress,
) -> Iterator[StepResult]:
    """Run the steps of a check lazily, and yield the result of each."""
    bot_under_test = BotUnderTest(bot, launcher, limits, list(variants))
    is_blocked = False
    for step in STEPS:
        if is_blocked:
            yield StepResult(step.name, step.clause, step.says, None)
            continue
        result = run_step(step, bot_under_test, CheckProgress(step.name, on_progress).begin())
        yield result
        is_blocked = step.is_essential and not result.passed
        if ready := bot_under_test.ready:
            bot_under_test.variants = [each for each in variants if ready.plays(each.name)]
            if not bot_under_test.variants:
                names = ", ".join(ready.variants or ())
                raise BadBot(f"{bot.name} plays none of the variants asked for, but {names}")


def run_step(step: CheckStep, bot_under_test: BotUnderTest, progress: CheckProgress) -> StepResult:
    """Run one step with a fresh process."""
    conversation = None
    try:
        with open_conversation(
            bot_under_test.bot, bot_under_test.launcher, bot_under_test.limits, progress
        ) as conversation:
            remark = step.run(bot_under_test, conversation)
    except StepFailure as failure:
        return StepResult(
            step.name,
            failure.clause,
            step.says,
            passed=False,
            text=failure.text,
            request=failure.request,
            reply=failure.reply,
            stderr=conversation.stderr.tail(MAX_EVIDENCE_BYTES) if conversation else "",
        )
    return StepResult(step.name, step.clause, step.says, passed=True, text=remark or "")


def find_startup_problem(
    bot: Bot, variants: Sequence[str], config: RefereeConfig, cancelled: Event | None = None
) -> str:
    """Return why a bot cannot play these variants; empty if it can.

    Another thread ends the wait for its answer by setting `cancelled`.
    """
    try:
        with (
            Launcher(config.sandbox) as launcher,
            open_conversation(bot, launcher, config.limits or Limits()) as conversation,
        ):
            conversation.cancelled = cancelled
            ready = conversation.handshake()
    except StepFailure as failure:
        return f"{bot.name} does not start: {failure.text}"
    for name in variants:
        if not ready.plays(name):
            return f"{bot.name} says that it does not play {name}"
    return ""
