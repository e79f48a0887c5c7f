"""Compute everything that the report pages show about a run or a part of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

from msgspec import structs

from arena.ratings import breakdowns
from arena.ratings import fairness as ratings_fairness
from arena.ratings.breakdowns import BotDistribution, CellBias, CellSpread
from arena.ratings.cell import Cell
from arena.ratings.crosstable import MIN_ODD_Z, Crosstable, Encounters, build_crosstable
from arena.ratings.distributions import PointDistribution as Scattered
from arena.ratings.distributions import measure_points
from arena.ratings.fairness import Fairness
from arena.ratings.overall import RatedCell, Roster, average, counted_cells, rate_cells
from arena.ratings.results import Ints, Results
from arena.ratings.standings import (
    Standings,
    StandingsLine,
    StandingsTable,
    tabulate,
    unranked_lines,
)
from arena.report.data.faults import FaultDetails, load_faults
from arena.report.data.ladder_info import LadderInfo
from arena.report.data.rating_history import HistoryPoint, night_history, run_history
from arena.report.data.samples import ExtremeGame, GameSample, extreme_games, sample_games
from arena.store.header import RunHeader
from arena.store.reading import Session
from arena.store.run import Run


@dataclass(frozen=True)
class Scope:
    """Some cells of a run: all, those of a variant, those of a size, or a single one."""

    variant: str | None
    seats: int | None
    cells: tuple[Cell, ...]

    @property
    def title(self) -> str:
        """What it is called."""
        if self.seats is None:
            return self.variant or "overall"
        return str(Cell(self.variant, self.seats)) if self.variant else f"{self.seats} seats"

    @property
    def path(self) -> str:
        """Where its page is."""
        whole = self.variant is None and self.seats is None
        return "index.html" if whole else f"{self.path_stem}.html"

    @property
    def path_stem(self) -> str:
        """How the paths of further pages begin."""
        parts = [self.variant or "all", *([f"{self.seats}-seats"] if self.seats else [])]
        return f"standings/{'_'.join(parts).replace('+', '-')}"


def scopes(cells: Sequence[Cell]) -> Iterator[Scope]:
    """All that a run with these cells has, from the largest to the single ones."""
    every = tuple(sorted(cells))
    yield Scope(None, None, every)
    variants = [(name, tuple(own)) for name, own in groupby(every, lambda cell: cell.variant)]
    sizes = sorted({cell.seats for cell in every})
    if len(variants) > 1:
        yield from (Scope(name, None, own) for name, own in variants)
    if len(sizes) > 1:
        for size in sizes:
            yield Scope(None, size, tuple(cell for cell in every if cell.seats == size))
    if len(variants) > 1 and len(sizes) > 1:
        yield from (Scope(cell.variant, cell.seats, (cell,)) for cell in every)


StepCallback = Callable[[str], None]
"""Is told what is worked out next."""


@dataclass(frozen=True, eq=False)
class Survey:
    """A run as it stands."""

    header: RunHeader
    sessions: Sequence[Session]
    computed_at: str
    """When this was worked out, in UTC."""
    roster: Roster
    rated_cells: Sequence[RatedCell]
    scopes: Sequence[Scope]
    blocks: int
    games: int
    shared_deals: int
    """Blocks with a deal that another one has too."""
    fairness: Sequence[Fairness]
    seat_bias: Mapping[Cell, CellBias]
    """Of neighbours those only that surely matter: of a thousand bots there are a million."""
    cell_spreads: Mapping[Cell, CellSpread]
    point_distributions: Mapping[Cell, Scattered]
    """The same with histograms, for each bot of the run."""
    extreme_games: Sequence[Sequence[ExtremeGame]]
    """For each bot."""
    rating_history: Sequence[HistoryPoint]
    sample: GameSample
    fault_counts: Mapping[tuple[str, str], int]
    fault_details: Mapping[str, Sequence[FaultDetails]]
    ladder: LadderInfo | None = None
    """What is known of it if it is a ladder."""

    @property
    def active_bots(self) -> Set[str] | None:
        """Who is in the standings, if not all bots are."""
        return self.ladder.active_bots if self.ladder else None

    @property
    def listed_bots(self) -> tuple[str, ...]:
        """The bots that every table has."""
        active = self.active_bots
        bots = self.roster.bots
        return bots if active is None else tuple(name for name in bots if name in active)

    def cells_in_rating(self, scope: Scope) -> Sequence[RatedCell]:
        """The cells of a scope that its figures are made of."""
        return cells_in_rating(self.roster, self.played_cells(scope), self.ladder)

    def played_cells(self, scope: Scope) -> list[RatedCell]:
        """The cells of a scope in which something was played."""
        return [one for one in self.rated_cells if one.cell in scope.cells]

    def table(self, scope: Scope) -> StandingsTable:
        """The standings in some cells."""
        return self.table_of_cells(scope.title, self.played_cells(scope))

    def table_of_cells(self, title: str, cells: Sequence[RatedCell]) -> StandingsTable:
        """The table of some cells that are rated."""
        counted = self.ladder.counted_cells if self.ladder else None
        return tabulate(
            title, cells, self.roster.bots, times=True, only=self.active_bots, counted=counted
        )

    def unlisted_lines(self, scope: Scope) -> dict[str, StandingsLine]:
        """The bots that are in no table, as they are rated in some cells."""
        if self.active_bots is None:
            return {}
        return unranked_lines(
            self.cells_in_rating(scope), self.roster.bots, {*self.roster.bots} - self.active_bots
        )

    def crosstable(
        self, scope: Scope, only: Set[str] | None = None, *, only_met: bool
    ) -> Crosstable:
        """Every bot against every other in some cells; some bots only, or who has met only."""
        chosen = self.active_bots if only is None else only
        return build_crosstable(
            self.roster, self.cells_in_rating(scope), only=chosen, met_only=only_met
        )

    @cached_property
    def distributions_by_bot(self) -> dict[str, list[tuple[Cell, BotDistribution]]]:
        """How the points of each bot scatter, cell by cell."""
        found: dict[str, list[tuple[Cell, BotDistribution]]] = {}
        for cell, spread in self.cell_spreads.items():
            for one in spread.bots:
                found.setdefault(one.bot, []).append((cell, one))
        return found

    def encounters(self) -> Encounters:
        """How all bots fared against each other, also those that are in no table."""
        return Encounters(self.roster, self.cells_in_rating(self.scopes[0]))

    def standings(self, tables: Iterable[StandingsTable] = ()) -> Standings:
        """All tables, as `arena standings --by cell` has them; some may be there already."""
        there = {(*table.cells, *(one.cell for one in table.pending)): table for table in tables}
        every = [
            (self.scopes[0].title, self.rated_cells),
            *((str(one.cell), [one]) for one in self.rated_cells),
        ]
        overall, *parts = (
            structs.replace(there[cells], title=title)
            if (cells := tuple(one.cell for one in chosen)) in there
            else self.table_of_cells(title, chosen)
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


def survey_run(
    run: Run,
    on_step: StepCallback = lambda _: None,
    ladder: LadderInfo | None = None,
    known_history: Sequence[HistoryPoint] = (),
) -> Survey:
    """Survey a run; one of a ladder with what that tells of it.

    Ratings after nights that are known from an earlier survey are not worked out again.
    """
    roster, cells = run.roster(), run.cells()
    on_step("ratings")
    results: dict[Cell, Results] = {cell: run.results(cell) for cell in cells}
    rated = rate_cells(roster, results)
    order = bots_by_rank(
        roster, cells_in_rating(roster, rated, ladder), ladder.active_bots if ladder else None
    )
    stored: dict[Cell, Ints] = {}
    fair: list[Fairness] = []
    bias: dict[Cell, CellBias] = {}
    spread: dict[Cell, CellSpread] = {}
    scattered: dict[Cell, Scattered] = {}
    found: list[list[ExtremeGame]] = [[] for _ in roster.bots]
    on_step("seats and points")
    for cell in cells:
        keys, stored[cell] = run.storage_order(cell)
        seatings = run.seatings(cell)
        fair.append(ratings_fairness.of_games(seatings, len(roster.bots)))
        bias[cell] = keep_sure_neighbours(breakdowns.cell_bias(roster, seatings))
        scattered[cell] = measure_points(seatings, len(roster.bots))
        spread[cell] = breakdowns.describe_spread(roster, cell, scattered[cell], order)
        for own, more in zip(found, extreme_games(seatings, keys, len(roster.bots)), strict=True):
            own.extend(more)
    on_step("ratings as time went on")
    moments = (
        night_history(roster, rated, stored, ladder, known_history)
        if ladder
        else run_history(roster, rated, stored)
    )
    on_step("a sample of games")
    return Survey(
        header=run.header,
        sessions=run.sessions(),
        computed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        roster=roster,
        rated_cells=rated,
        scopes=list(scopes(cells)),
        blocks=sum(one.blocks for one in fair),
        games=sum(one.games for one in fair),
        shared_deals=ratings_fairness.count_shared_deals(run.deal_seeds()),
        fairness=fair,
        seat_bias=bias,
        cell_spreads=spread,
        point_distributions=scattered,
        extreme_games=found,
        rating_history=moments,
        sample=sample_games(run),
        fault_counts=run.fault_counts(),
        fault_details=load_faults(run, hide_stderr=ladder is not None),
        ladder=ladder,
    )


def keep_sure_neighbours(bias: CellBias) -> CellBias:
    """Without the neighbours of whom it is not sure that they matter."""
    return structs.replace(
        bias, neighbours=tuple(one for one in bias.neighbours if one.is_sure(MIN_ODD_Z))
    )


def cells_in_rating(
    roster: Roster, rated: Sequence[RatedCell], ladder: LadderInfo | None
) -> Sequence[RatedCell]:
    """Those of some cells that count: all, unless it is a ladder that has new ones."""
    if ladder is None:
        return rated
    active = [bot for bot, name in enumerate(roster.bots) if name in ladder.active_bots]
    return counted_cells(rated, active, ladder.counted_cells)


def bots_by_rank(
    roster: Roster, rated: Sequence[RatedCell], active_bots: Set[str] | None = None
) -> list[str]:
    """The bots by rank; those without one come later, and those that are in no table last."""
    mean = average(rated, len(roster.bots))
    order = [*mean.order, *(bot for bot in range(len(roster.bots)) if not mean.complete[bot])]
    names = [roster.bots[bot] for bot in order]
    return names if active_bots is None else sorted(names, key=lambda name: name not in active_bots)
