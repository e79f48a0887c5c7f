"""Readiness: bots that cannot even start are found out before anything is played."""

import shlex
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from arena.conformance.greeting import greet
from arena.errors import BadBot
from arena.tournaments.config import Tournament
from arena.tournaments.local import cores


def check_ready(tournament: Tournament) -> None:
    """Refuse a tournament if one of its bots does not start, or does not play what is played."""
    cancelled = Event()
    with ThreadPoolExecutor(cores()) as pool:
        asked = [
            pool.submit(greet, bot, tournament.variants, tournament.terms, cancelled)
            for bot in tournament.bots
        ]
        try:
            for path, answer in zip(tournament.paths, asked, strict=True):
                if why := answer.result():
                    command = ["arena", "check", path, *tournament.terms.sandbox.options]
                    raise BadBot(f"{why}; '{shlex.join(command)}' says more")
        finally:  # after an error or Ctrl-C, the other bots are not waited for
            cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)
