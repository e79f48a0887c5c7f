"""A referee that plays until it is killed: `python -m tests.bots.endless LEVEL BOT...`."""

import sys
from itertools import count
from pathlib import Path

from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.sandbox import chosen
from arena.games.catalog import variant
from arena.match.referee import Referee
from arena.match.table import Deal
from arena.match.terms import Terms


def main() -> None:
    bots = [find(Path(path)) for path in sys.argv[2:]]
    with Launcher(chosen(Level(sys.argv[1]), Limits())) as launcher:
        print(launcher.process.pid, flush=True)
        game = variant("sticheln").game(len(bots))
        for seed in count():
            referee = Referee(game, bots, launcher, Terms(limits=None, games=2, grace=0.1))
            for _ in referee.play([Deal(2 * seed), Deal(2 * seed + 1)]):
                print(".", flush=True)


if __name__ == "__main__":
    main()
