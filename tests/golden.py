"""Golden games: `python -m tests.golden VARIANT SEATS SEED` plays one and prints its result.

Both the deal and the choices come from a linear congruential generator anybody can write down in
a line, so that an implementation in another language can be compared game by game.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from arena.errors import ArenaError
from arena.games.base import Game
from arena.games.catalog import variant

T = TypeVar("T")


class Generator:
    """Knuth's 64-bit linear congruential generator; numbers come from its upper half."""

    def __init__(self, x: int) -> None:
        self.x = x

    def below(self, n: int) -> int:
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.x >> 33) % n


class GoldenShuffle:
    """Fisher-Yates from the end, one generator for the draws of the whole game in turn."""

    def __init__(self, seed: int) -> None:
        self.generator = Generator(2 * seed)
        self.draws: list[list[Any]] = []

    def __call__(self, draw: int, items: Sequence[T], /) -> list[T]:
        if draw == len(self.draws):
            order = list(items)
            for i in range(len(order) - 1, 0, -1):
                j = self.generator.below(i + 1)
                order[i], order[j] = order[j], order[i]
            self.draws.append(order)
        return self.draws[draw]


def play_golden_game(game: Game[Any], seed: int) -> dict[str, object]:
    decide = Generator(2 * seed + 1)
    state = game.start(GoldenShuffle(seed))
    while decisions := game.pending(state):
        choices = [d.options[decide.below(len(d.options))] for d in decisions]
        state = game.apply(state, choices)
    return {
        "game": game.variant,
        "players": game.seats,
        "seed": seed,
        "scores": list(game.scores(state)),
        "winners": [seat for seat, rank in enumerate(game.ranks(state)) if rank == 1],
        "rounds": game.rounds_played(state),
    }


def main() -> None:
    try:
        _, name, seats, seed = sys.argv
        print(json.dumps(play_golden_game(variant(name).game(int(seats)), int(seed))))
    except ValueError:
        sys.exit("usage: python -m tests.golden VARIANT SEATS SEED")
    except ArenaError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
