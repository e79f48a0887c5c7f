"""Conversations overheard between the referee and a real bot process."""

import json
import sys
from pathlib import Path
from typing import Any
from zlib import crc32

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import Decision
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.connection import HousePlayer
from arena.referee.live_game import Deal
from arena.referee.referee import Referee

SCRIPT = Path(__file__).with_name("recorded_bot.py")
DIRECTIONS = {"<": "referee", ">": "bot"}

Line = dict[str, Any]
"""One line of a transcript: `to`, and the `message`."""


def house(decision: Decision, view: Any) -> str:
    """Chooses for the other seats: anything, but always the same."""
    place = f"{decision.seat}/{view.phase}/{view.round}/{view.hand}/{view.trick}"
    return decision.options[crc32(place.encode()) % len(decision.options)]


def bot(*words: str) -> Bot:
    """The recorded bot, with these words on its command line."""
    argv = (sys.executable, str(SCRIPT), *words)
    return Bot("recorded", "1", argv, SCRIPT.parent)


def record_bot(
    name: str,
    seats: int,
    seat: int,
    seeds: list[int],
    *words: str,
    terms: RefereeConfig | None = None,
) -> list[Line]:
    """What is said to and by the bot in this seat while these deals are played."""
    heard: list[Line] = []
    rest = b""

    def tap(_seat: int, direction: str, data: bytes) -> None:
        nonlocal rest
        if direction == "<":
            data = rest + data
            end = data.rfind(b"\n") + 1
            data, rest = data[:end], data[end:]
        heard.extend(
            {"to": DIRECTIONS[direction], "message": json.loads(line)} for line in data.splitlines()
        )

    table: list[Bot | HousePlayer] = [house] * seats
    table[seat] = bot(*(words or ("1",)))
    with Launcher() as launcher:
        game = variant(name).game(seats)
        referee = Referee(game, table, launcher, terms or RefereeConfig(), on_traffic=tap)
        list(referee.play([Deal(seed) for seed in seeds]))
    return heard
