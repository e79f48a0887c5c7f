"""Plays a game with a bot, which is given, in two of three seats, and prints its faults."""

import sys
from pathlib import Path

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.games.catalog import variant
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal
from arena.referee.referee import Referee
from tests.referee.game_helpers import Seats, first_option, misbehaving_bot

CONFIG = RefereeConfig(
    limits=Limits(start=10.0, move=5.0, bank=0.0, wall=3.0), games_at_once=1, grace=0.1
)
"""Much CPU time, and little real time."""


def main() -> None:
    """Play it."""
    with Launcher() as launcher:
        seats: Seats = [load_bot(Path(sys.argv[1])), misbehaving_bot("innocent"), first_option]
        (played,) = Referee(variant("sticheln").game(3), seats, launcher, CONFIG).play([Deal(0)])
    print([fault.text for fault in played.record.faults])


if __name__ == "__main__":
    main()
