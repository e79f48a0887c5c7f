"""The referee at work, beside the least that the kernel charges, and beside a naive harness.

Every case runs in a process of its own, all of them on one core, and they take turns in slices;
each is credited with its best ones. On two cores two referees also run at the same time.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from tests.bench import split
from tests.bench.cost import best_rate, own, total
from tests.bench.programs import Programs
from tests.bench.runner import Pair, PingPong, Runner
from tests.bench.sheet import sheet

TURNS = 16
TRIPS = 20_000
MANY = 64
BUSY = 0.5
"""From this load on the machine does too much else."""

C, PLAIN = "C bots", "plain bots"

SLICES = {(C, 1): 10, (C, MANY): 64, (PLAIN, 1): 4, (PLAIN, MANY): 64}
"""The cases with the referee, by bots and games at once, and how many games make a slice."""


class Ratio(NamedTuple):
    """A figure that means something on any machine, and what it is to reach."""

    what: str
    figure: float
    reach: float


class Race:
    """All cases, ready to take turns."""

    def __init__(self, programs: Programs, cores: list[int], stack: ExitStack) -> None:
        bots = {PLAIN: programs.plain_bot}
        if programs.compiler:
            bots[C] = programs.c_bot

        def run(core: int, bot: str, at_once: int) -> Runner:
            argv = bots[bot](at_once)
            return stack.enter_context(Runner(core, "referee", argv, SLICES[bot, at_once]))

        self.referee = {case: run(cores[0], *case) for case in SLICES if case[0] in bots}
        self.naive = stack.enter_context(Runner(cores[0], "naive", programs.plain_bot(1), 2))
        self.pingpong = PingPong(programs.pingpong(TRIPS)) if programs.compiler else None
        self.second = {bot: run(core, bot, MANY) for core in cores[1:2] for bot in bots}
        self.pairs = {
            bot: Pair(self.referee[bot, MANY], second) for bot, second in self.second.items()
        }

    def turn(self) -> None:
        """A slice of everything."""
        for case in (*self.referee.values(), self.naive, *self.second.values()):
            case.slice()
        if self.pingpong:
            self.pingpong.slice()
        for pair in self.pairs.values():
            pair.slice()

    def cases(self) -> Iterator[tuple[str, Runner | PingPong]]:
        """What ran on the first core, by name."""
        for (bot, at_once), runner in self.referee.items():
            yield f"referee, {bot}, {at_once} at once", runner
        yield f"naive harness, {PLAIN}, 1 at once", self.naive
        if self.pingpong:
            yield "ping-pong, C ↔ C", self.pingpong

    def ratios(self) -> Iterator[Ratio]:
        """What the slices come to."""
        if self.pingpong:
            trip = total(self.pingpong.costs)
            for at_once, reach in ((MANY, 0.5), (1, 0.2)):
                figure = trip / total(self.referee[C, at_once].costs)
                yield Ratio(f"ping-pong's CPU over a decision's: {C}, {at_once}", figure, reach)
        many, one = (best_rate(self.referee[PLAIN, at_once].costs) for at_once in (MANY, 1))
        yield Ratio(f"{MANY} at once against 1: {PLAIN}", many / one, 2.0)
        naive = best_rate(self.naive.costs)
        yield Ratio(f"{MANY} at once against the naive harness: {PLAIN}", many / naive, 6.0)
        for bot, pair in self.pairs.items():
            yield Ratio(f"two referees on two cores against one: {bot}", pair.gain(), 1.8)


def show(race: Race, console: Console) -> None:
    """The cases, then the ratios."""
    table = sheet("sticheln, 4 seats", "decisions/s", "µs, referee", "µs, all")
    for name, case in race.cases():
        costs = case.costs
        table.add_row(name, f"{best_rate(costs):,.0f}", f"{own(costs):.1f}", f"{total(costs):.1f}")
    console.print(table)
    console.print(
        "\nµs: CPU time a decision, of the referee and of all processes together.\n"
        "ping-pong: a question of 248 bytes there, an answer of 40 back.\n"
        "plain bots: Python, standard library, a line at a time.\n"
    )
    table = sheet("ratio", "figure", "to reach", "")
    for ratio in race.ratios():
        reached = "reached" if ratio.figure >= ratio.reach else "[red]missed[/]"
        table.add_row(ratio.what, f"{ratio.figure:.2f}", f"{ratio.reach:.1f}", reached)
    console.print(table)
    console.print()


def main() -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    console = Console()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        programs = Programs(Path(folder))
        if not programs.compiler:
            console.print("There is no C compiler (cc): what needs one is left out.\n")
        if (load := os.getloadavg()[0]) > BUSY:
            console.print(f"The machine is busy (load {load:.1f}): the ratios will be too low.\n")
        if len(cores) == 1:
            console.print("There is one core only: two referees on two are left out.\n")
        race = Race(programs, cores, stack)
        for _ in range(TURNS):
            race.turn()
        show(race, console)
        if case := race.referee.get((C, MANY)):
            split.show(console, own(case.costs))


if __name__ == "__main__":
    main()
