"""Steps about the end of a process."""

import os
import signal
import time

from arena.conformance.candidate import Candidate
from arena.conformance.conversation import Conversation
from arena.conformance.failure import Failure
from arena.conformance.sitting import Sitting, sit

GRACE = 2.0
"""Seconds a bot has to end."""


def end_of_input(bot: Candidate, talk: Conversation) -> None:
    """It ends when its stdin is closed, and leaves nothing behind."""
    talk.ready()
    sit(talk, [Sitting(1, bot.some_game(), 0, bot.clock())], 1)
    talk.process.hang_up()
    gone(talk, "S1", "when its stdin was closed")


def told_to_end(bot: Candidate, talk: Conversation) -> None:
    """It ends at SIGTERM, even in a game."""
    talk.ready()
    talk.say(Sitting(1, bot.some_game(), 0, bot.clock()).start())
    os.kill(talk.process.pid, signal.SIGTERM)
    gone(talk, "S2", "at SIGTERM")


def gone(talk: Conversation, clause: str, when: str) -> None:
    """Wait until a bot has ended by itself, without leaving anything behind."""
    pid, launcher = talk.process.pid, talk.launcher
    until = time.monotonic() + GRACE
    while not launcher.wait([pid], 0.01):
        if time.monotonic() > until:
            raise Failure(clause, f"it did not end in {GRACE:g} s {when}")
        talk.take(0)
    if left := launcher.gone[pid].left:
        raise Failure("S3", f"it left {left} process{'es' if left > 1 else ''} behind {when}")
