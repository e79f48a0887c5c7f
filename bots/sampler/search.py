"""The search: the options a glance likes best, in the same worlds, the best third in more."""

from collections.abc import Sequence
from time import process_time
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.games.base import Game

MIX = 0.3
"""What a point of the glance counts beside a point of the playouts."""
MOST = 8
"""As many options are looked at."""
THIRD = 3
"""One in so many options goes on."""
FEWEST = 5
"""With fewer worlds than these the glance decides."""
ROWS = 2048
"""As many playouts are made at once."""


class Effort(NamedTuple):
    """Seconds that the search is planned for, and after which it is broken off."""

    planned: float
    limit: float


class Question(NamedTuple):
    """What is to be decided; the view as the game gives it, and as it stands in the question."""

    kind: str
    options: Sequence[str]
    view: Any
    raw: dict[str, Any]


class Policy(Protocol):
    """How a game is played on."""

    @property
    def game(self) -> Game[Any]:
        """The game it is for."""

    def glance(self, question: Question, /) -> dict[str, float]:
        """The options worth looking at, and what they seem to bring."""

    def playouts(self, question: Question, seconds: float, /) -> int:
        """How many playouts can be had in this time."""

    def values(
        self,
        question: Question,
        options: Sequence[str],
        count: int,
        chance: np.random.Generator,
        /,
    ) -> NDArray[np.float64]:
        """What each option brings in each of so many worlds, more than the others get."""


def best(policy: Policy, question: Question, chance: np.random.Generator, effort: Effort) -> str:
    """The option that does best in worlds that the view allows."""
    end = process_time() + effort.limit
    glance = policy.glance(question)
    options = sorted(glance, key=glance.__getitem__, reverse=True)[:MOST]
    stages = 1 if (len(options) + 1) // THIRD <= 1 else 2
    totals, worlds = dict.fromkeys(options, 0.0), 0
    while len(options) > 1:
        left = policy.playouts(question, effort.planned / stages) // len(options)
        if left < FEWEST and not worlds:
            break
        while left > 0:
            count = min(left, max(1, ROWS // len(options)))
            left -= count
            worlds += count
            values = policy.values(question, options, count, chance)
            for option, value in zip(options, values.sum(axis=1), strict=True):
                totals[option] += float(value)
            if process_time() > end:
                stages = left = 0
        mean = {option: totals[option] / worlds + MIX * glance[option] for option in options}
        options.sort(key=mean.__getitem__, reverse=True)
        if not stages:
            break
        options = options[: (len(options) + 1) // THIRD]
    return options[0]
