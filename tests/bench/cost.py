"""What decisions cost: CPU time of the referee and of the bots, and real time."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

BEST = 4
"""How many of the best slices count."""


class Cost(Struct, frozen=True):
    """What so many decisions cost, in nanoseconds."""

    decisions: int
    wall: int
    """Real time."""
    harness: int
    """CPU time of the referee."""
    bots: int
    """CPU time of all bots."""

    @property
    def own(self) -> float:
        """Microseconds of CPU time for a decision, of the referee alone."""
        return self.harness / self.decisions / 1000

    @property
    def total(self) -> float:
        """Microseconds of CPU time for a decision, of all."""
        return (self.harness + self.bots) / self.decisions / 1000

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.wall * 1e9


def least(figures: Iterable[float]) -> float:
    """The mean of the lowest few."""
    best = sorted(figures)[:BEST]
    return sum(best) / len(best)


def most(figures: Iterable[float]) -> float:
    """The mean of the highest few."""
    return -least(-figure for figure in figures)


def own(costs: Sequence[Cost]) -> float:
    """CPU time of the referee for a decision, in the best slices."""
    return least(cost.own for cost in costs)


def total(costs: Sequence[Cost]) -> float:
    """CPU time of all for a decision, in the best slices."""
    return least(cost.total for cost in costs)


def best_rate(costs: Sequence[Cost]) -> float:
    """Decisions a second, in the best slices."""
    return most(cost.rate for cost in costs)
