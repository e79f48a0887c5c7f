"""A survey: everything that the pages tell of a run as it stands, worked out once."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from msgspec import structs

from arena.ratings import fairness, panels
from arena.ratings.cell import Cell
from arena.ratings.crosstable import ODD, Crosstable, Encounters, cross
from arena.ratings.fairness import Fairness
from arena.ratings.overall import Rated, Roster, average, counted_cells, rate_cells
from arena.ratings.panels import Bias, Distribution, Spread
from arena.ratings.results import Ints, Results
from arena.ratings.spread import Spread as Scattered
from arena.ratings.spread import measure
from arena.ratings.standings import Line, Standings, Table, tabulate, unranked
from arena.report.charges import Charge, charges
from arena.report.contest import Contest
from arena.report.courses import Moment, courses, nightly
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
    """Of neighbours those only that surely matter: of a thousand bots there are a million."""
    spread: Mapping[Cell, Spread]
    scattered: Mapping[Cell, Scattered]
    """The same with histograms, for each bot of the run."""
    outstanding: Sequence[Sequence[Outstanding]]
    """For each bot."""
    courses: Sequence[Moment]
    sample: Sample
    faulted: Mapping[tuple[str, str], int]
    charges: Mapping[str, Sequence[Charge]]
    contest: Contest | None = None
    """What is known of it if it is a ladder."""

    @property
    def active(self) -> Set[str] | None:
        """Who is in the standings, if not all bots are."""
        return self.contest.active if self.contest else None

    @property
    def listed(self) -> tuple[str, ...]:
        """The bots that every table has."""
        active = self.active
        bots = self.roster.bots
        return bots if active is None else tuple(name for name in bots if name in active)

    def within(self, scope: Scope) -> Sequence[Rated]:
        """The cells of a scope that its figures are made of."""
        return counted_in(self.roster, self.played(scope), self.contest)

    def played(self, scope: Scope) -> list[Rated]:
        """The cells of a scope in which something was played."""
        return [one for one in self.rated if one.cell in scope.cells]

    def table(self, scope: Scope) -> Table:
        """The standings in some cells."""
        return self.tabulated(scope.title, self.played(scope))

    def tabulated(self, title: str, cells: Sequence[Rated]) -> Table:
        """The table of some cells that are rated."""
        counted = self.contest.counted if self.contest else None
        return tabulate(
            title, cells, self.roster.bots, times=True, only=self.active, counted=counted
        )

    def others(self, scope: Scope) -> dict[str, Line]:
        """The bots that are in no table, as they are rated in some cells."""
        if self.active is None:
            return {}
        return unranked(self.within(scope), self.roster.bots, {*self.roster.bots} - self.active)

    def crosstable(self, scope: Scope, only: Set[str] | None = None, *, met: bool) -> Crosstable:
        """Every bot against every other in some cells; some bots only, or who has met only."""
        chosen = self.active if only is None else only
        return cross(self.roster, self.within(scope), only=chosen, met=met)

    @cached_property
    def distributions(self) -> dict[str, list[tuple[Cell, Distribution]]]:
        """How the points of each bot scatter, cell by cell."""
        found: dict[str, list[tuple[Cell, Distribution]]] = {}
        for cell, spread in self.spread.items():
            for one in spread.bots:
                found.setdefault(one.bot, []).append((cell, one))
        return found

    def encounters(self) -> Encounters:
        """How all bots fared against each other, also those that are in no table."""
        return Encounters(self.roster, self.within(self.scopes[0]))

    def standings(self, tables: Iterable[Table] = ()) -> Standings:
        """All tables, as `arena standings --by cell` has them; some may be there already."""
        there = {(*table.cells, *(one.cell for one in table.pending)): table for table in tables}
        every = [
            (self.scopes[0].title, self.rated),
            *((str(one.cell), [one]) for one in self.rated),
        ]
        overall, *parts = (
            structs.replace(there[cells], title=title)
            if (cells := tuple(one.cell for one in chosen)) in there
            else self.tabulated(title, chosen)
            for title, chosen in every
        )
        return Standings(
            name=self.roster.name,
            standing=self.roster.standing,
            anchors=self.roster.anchors,
            overall=overall,
            by="cell",
            parts=tuple(parts),
        )


def survey(
    run: Run,
    tick: Tick = lambda _: None,
    contest: Contest | None = None,
    known: Sequence[Moment] = (),
) -> Survey:
    """Survey a run; one of a ladder with what that tells of it.

    Ratings after nights that are known from an earlier survey are not worked out again.
    """
    roster, cells = run.roster(), run.cells()
    tick("ratings")
    results: dict[Cell, Results] = {cell: run.results(cell) for cell in cells}
    rated = rate_cells(roster, results)
    order = order_of(
        roster, counted_in(roster, rated, contest), contest.active if contest else None
    )
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
        bias[cell] = surely(panels.biased(roster, seatings))
        scattered[cell] = measure(seatings, len(roster.bots))
        spread[cell] = panels.described(roster, cell, scattered[cell], order)
        for own, more in zip(found, outstanding(seatings, keys, len(roster.bots)), strict=True):
            own.extend(more)
    tick("ratings as time went on")
    moments = (
        nightly(roster, rated, stored, contest, known)
        if contest
        else courses(roster, rated, stored)
    )
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
        charges=charges(run, hidden=contest is not None),
        contest=contest,
    )


def surely(bias: Bias) -> Bias:
    """Without the neighbours of whom it is not sure that they matter."""
    return structs.replace(bias, neighbours=tuple(one for one in bias.neighbours if one.sure(ODD)))


def counted_in(roster: Roster, rated: Sequence[Rated], contest: Contest | None) -> Sequence[Rated]:
    """Those of some cells that count: all, unless it is a ladder that has new ones."""
    if contest is None:
        return rated
    active = [bot for bot, name in enumerate(roster.bots) if name in contest.active]
    return counted_cells(rated, active, contest.counted)


def order_of(roster: Roster, rated: Sequence[Rated], active: Set[str] | None = None) -> list[str]:
    """The bots by rank; those without one come later, and those that are in no table last."""
    mean = average(rated, len(roster.bots))
    order = [*mean.order, *(bot for bot in range(len(roster.bots)) if not mean.complete[bot])]
    names = [roster.bots[bot] for bot in order]
    return names if active is None else sorted(names, key=lambda name: name not in active)
