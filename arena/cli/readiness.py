"""Readiness: bots that cannot even start are found out before anything is played."""

import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.conformance.conversation import conversation
from arena.conformance.failure import Failure
from arena.errors import BadBot
from arena.match.terms import Terms
from arena.protocol.messages import Limits
from arena.tournaments.config import Tournament
from arena.tournaments.local import cores


def check_ready(tournament: Tournament) -> None:
    """Refuse a tournament if one of its bots does not start, or does not play what is played."""
    variants = sorted({cell.variant for cell in tournament.cells})
    with ThreadPoolExecutor(cores()) as pool:
        asked = [
            pool.submit(greet, bot, path, variants, tournament.terms)
            for bot, path in zip(tournament.bots, tournament.paths, strict=True)
        ]
        for answer in asked:
            answer.result()


def greet(bot: Bot, path: str, variants: Sequence[str], terms: Terms) -> None:
    """See whether a bot gets ready, and for what."""
    sandbox, limits = terms.sandbox, terms.limits or Limits()
    again = f"'{shlex.join(['arena', 'check', path, *sandbox.options])}' says more"
    try:
        with Launcher(sandbox) as launcher, conversation(bot, launcher, limits) as talk:
            ready = talk.ready()
    except Failure as failure:
        raise BadBot(f"{bot.name} does not start: {failure.text}; {again}") from failure
    for name in variants:
        if not ready.plays(name):
            raise BadBot(f"{bot.name} says that it does not play {name}; {again}")
