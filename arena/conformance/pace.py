"""How far a step has come, for somebody who waits."""

from collections.abc import Callable
from typing import Self

Watch = Callable[["Pace"], None]
"""Told when a step begins and whenever it has come further."""


def nobody(_: "Pace") -> None:
    """Watches nothing."""


class Pace:
    """The questions of a step."""

    def __init__(self, step: str = "", watch: Watch = nobody) -> None:
        self.step = step
        self.watch = watch
        self.answered = 0
        self.expected: float | None = None
        """How many there will be, more or less; None: nobody knows, or they are few."""

    def begin(self) -> Self:
        """Say that the step begins."""
        self.watch(self)
        return self

    def answer(self) -> None:
        """Count one more answer."""
        self.answered += 1
        self.watch(self)
