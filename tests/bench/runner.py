"""Cases run in processes of their own, slice by slice, and what their slices cost."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Self

from msgspec.json import decode

from tests.bench.cost import Cost, best_rate, most


class Runner:
    """A case of `tests.bench.case` on one core."""

    def __init__(self, core: int, kind: str, argv: Sequence[str], games: int) -> None:
        self.games = games
        self.costs: list[Cost] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.case", str(core), kind, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def begin(self) -> None:
        """Have it play a slice."""
        assert self.process.stdin
        self.process.stdin.write(b"%d\n" % self.games)
        self.process.stdin.flush()

    def end(self) -> Cost:
        """Wait for the slice to end."""
        assert self.process.stdout
        return decode(self.process.stdout.readline(), type=Cost)

    def slice(self) -> None:
        self.begin()
        self.costs.append(self.end())


class PingPong:
    """Questions and answers without a game, between two programs in C."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv = argv
        self.costs: list[Cost] = []

    def slice(self) -> None:
        done = subprocess.run(self.argv, stdout=subprocess.PIPE, check=True)
        self.costs.append(decode(done.stdout, type=Cost))


class Pair:
    """The same case on two cores: both at once, beside what each has done alone."""

    def __init__(self, one: Runner, other: Runner) -> None:
        self.one = one
        self.other = other
        self.rates: list[float] = []

    def slice(self) -> None:
        self.one.begin()
        self.other.begin()
        self.rates.append(self.one.end().rate + self.other.end().rate)

    def gain(self) -> float:
        """How many times as much as one of them alone they do together."""
        return 2 * most(self.rates) / (best_rate(self.one.costs) + best_rate(self.other.costs))
