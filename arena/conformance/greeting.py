"""A greeting: whether a bot gets ready, and for the variants that are to be played."""

from collections.abc import Sequence
from threading import Event

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.conformance.conversation import conversation
from arena.conformance.failure import Failure
from arena.match.terms import Terms
from arena.protocol.messages import Limits


def greet(bot: Bot, variants: Sequence[str], terms: Terms, cancelled: Event | None = None) -> str:
    """Why a bot cannot play these variants; empty if it can.

    Another thread ends the wait for its answer by setting `cancelled`.
    """
    try:
        with (
            Launcher(terms.sandbox) as launcher,
            conversation(bot, launcher, terms.limits or Limits()) as talk,
        ):
            talk.cancelled = cancelled
            ready = talk.ready()
    except Failure as failure:
        return f"{bot.name} does not start: {failure.text}"
    for name in variants:
        if not ready.plays(name):
            return f"{bot.name} says that it does not play {name}"
    return ""
