"""A referee that plays until it is killed: `python -m tests.bots.endless_referee LEVEL BOT...`."""

import sys
from itertools import count
from pathlib import Path

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal
from arena.referee.referee import Referee


def main() -> None:
    bots = [load_bot(Path(path)) for path in sys.argv[2:]]
    with Launcher(select_sandbox(SandboxLevel(sys.argv[1]), ResourceLimits())) as launcher:
        print(launcher.process.pid, flush=True)
        game = variant("sticheln").game(len(bots))
        for seed in count():
            referee = Referee(
                game, bots, launcher, RefereeConfig(limits=None, games_at_once=2, grace=0.1)
            )
            for _ in referee.play([Deal(2 * seed), Deal(2 * seed + 1)]):
                print(".", flush=True)


if __name__ == "__main__":
    main()
