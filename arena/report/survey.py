"""A survey: everything that the pages tell of a run as it stands, worked out once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.ratings import fairness, panels
from arena.ratings.crosstable import Crosstable, cross
from arena.ratings.fairness import Fairness
from arena.ratings.overall import Rated, Roster, rate_cells
from arena.ratings.panels import Bias, Spread
from arena.ratings.results import Cell, Ints, Results
from arena.ratings.spread import Spread as Scattered
from arena.ratings.spread import measure
from arena.ratings.standings import Standings, Table, tabulate
from arena.report.charges import Charge, charges
from arena.report.courses import Moment, courses
from arena.report.extremes import Outstanding, outstanding
from arena.report.sampling import Sample, sample
from arena.report.scopes import Scope, scopes
from arena.store.header import Header
from arena.store.reading import Session
from arena.store.run import Run

Tick = Callable[[str], None]
"""Is told what is worked out next."""


@dataclass(frozen=True, eq=False)
class Survey:
    """A run as it stands."""

    header: Header
    sessions: Sequence[Session]
    made: str
    """When this was worked out, in UTC."""
    roster: Roster
    rated: Sequence[Rated]
    scopes: Sequence[Scope]
    blocks: int
    games: int
    shared: int
    """Blocks with a deal that another one has too."""
    fairness: Sequence[Fairness]
    bias: Mapping[Cell, Bias]
    spread: Mapping[Cell, Spread]
    scattered: Mapping[Cell, Scattered]
    """The same with histograms, for each bot of the run."""
    outstanding: Sequence[Sequence[Outstanding]]
    """For each bot."""
    courses: Sequence[Moment]
    sample: Sample
    faulted: Mapping[tuple[str, str], int]
    charges: Mapping[str, Sequence[Charge]]

    def table(self, scope: Scope) -> Table:
        """The standings in some cells."""
        chosen = [one for one in self.rated if one.cell in scope.cells]
        return tabulate(scope.title, chosen, self.roster.bots, times=True)

    def crosstable(self, scope: Scope) -> Crosstable:
        """Every bot against every other in some cells."""
        return cross(self.roster, [one for one in self.rated if one.cell in scope.cells])

    def standings(self) -> Standings:
        """All tables, as `arena standings --by cell` has them."""
        return Standings(
            name=self.roster.name,
            standing=self.roster.standing,
            anchors=self.roster.anchors,
            overall=self.table(self.scopes[0]),
            by="cell",
            parts=tuple(
                tabulate(str(one.cell), [one], self.roster.bots, times=True) for one in self.rated
            ),
        )


def survey(run: Run, tick: Tick = lambda _: None) -> Survey:
    """Survey a run."""
    roster, cells = run.roster(), run.cells()
    tick("ratings")
    results: dict[Cell, Results] = {cell: run.results(cell) for cell in cells}
    rated = rate_cells(roster, results)
    order = order_of(roster, rated)
    stored: dict[Cell, Ints] = {}
    fair: list[Fairness] = []
    bias: dict[Cell, Bias] = {}
    spread: dict[Cell, Spread] = {}
    scattered: dict[Cell, Scattered] = {}
    found: list[list[Outstanding]] = [[] for _ in roster.bots]
    tick("seats and points")
    for cell in cells:
        keys, stored[cell] = run.stored(cell)
        seatings = run.seatings(cell)
        fair.append(fairness.played(seatings, len(roster.bots)))
        bias[cell] = panels.biased(roster, seatings)
        scattered[cell] = measure(seatings, len(roster.bots))
        spread[cell] = panels.described(roster, cell, scattered[cell], order)
        for own, more in zip(found, outstanding(seatings, keys, len(roster.bots)), strict=True):
            own.extend(more)
    tick("ratings as the run went on")
    moments = courses(roster, results, stored)
    tick("a sample of games")
    return Survey(
        header=run.header,
        sessions=run.sessions(),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        roster=roster,
        rated=rated,
        scopes=list(scopes(cells)),
        blocks=sum(one.blocks for one in fair),
        games=sum(one.games for one in fair),
        shared=fairness.shared(run.seeds()),
        fairness=fair,
        bias=bias,
        spread=spread,
        scattered=scattered,
        outstanding=found,
        courses=moments,
        sample=sample(run),
        faulted=run.faulted(),
        charges=charges(run),
    )


def order_of(roster: Roster, rated: Sequence[Rated]) -> list[str]:
    """The bots by rank; those without one come last."""
    return [line.bot for line in tabulate("", rated, roster.bots, times=False).lines]
