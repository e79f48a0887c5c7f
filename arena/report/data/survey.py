"""Survey a run: compute everything that the report pages show about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from msgspec import structs

from arena.ratings import breakdowns, schedule_fairness
from arena.ratings.breakdowns import BotDistribution, CellBias, CellSpread
from arena.ratings.cell import Cell
from arena.ratings.crosstable import MIN_UNEXPECTED_Z, Crosstable, Encounters, build_crosstable
from arena.ratings.overall import RatedCell, Roster, average_cells, rate_cells, select_counted_cells
from arena.ratings.point_distributions import PointDistribution, measure_distributions
from arena.ratings.results import Ints, Results
from arena.ratings.schedule_fairness import Fairness
from arena.ratings.standings import (
    Standings,
    StandingsLine,
    StandingsTable,
    build_table,
    unranked_lines,
)
from arena.report.data.fault_details import FaultDetails, load_faults
from arena.report.data.ladder_info import LadderInfo
from arena.report.data.rating_history import HistoryPoint, night_history, run_history
from arena.report.data.samples import ExtremeGame, GameSample, extreme_games, sample_games
from arena.store.header import RunHeader, utc_now
from arena.store.reading import Session
from arena.store.run import Run

StepCallback = Callable[[str], None]
"""Receives the name of each step before it begins."""


@dataclass(frozen=True)
class StandingsScope:
    """Some cells of a run: all, those of a variant, those of a size, or a single one."""

    variant: str | None
    seats: int | None
    cells: tuple[Cell, ...]

    @property
    def title(self) -> str:
        """The title of its page."""
        if self.seats is None:
            return self.variant or "overall"
        return str(Cell(self.variant, self.seats)) if self.variant else f"{self.seats} seats"

    @property
    def path(self) -> str:
        """The path of its page."""
        is_whole_run = self.variant is None and self.seats is None
        return "index.html" if is_whole_run else f"{self.path_stem}.html"

    @property
    def path_stem(self) -> str:
        """How the paths of its further pages begin."""
        parts = [self.variant or "all", *([f"{self.seats}-seats"] if self.seats else [])]
        return f"standings/{'_'.join(parts).replace('+', '-')}"


def all_scopes(cells: Sequence[Cell]) -> Iterator[StandingsScope]:
    """All scopes of a run with these cells, from all cells to single cells."""
    sorted_cells = tuple(sorted(cells))
    yield StandingsScope(None, None, sorted_cells)
    variants = [
        (name, tuple(own)) for name, own in groupby(sorted_cells, lambda cell: cell.variant)
    ]
    sizes = sorted({cell.seats for cell in sorted_cells})
    if len(variants) > 1:
        yield from (StandingsScope(name, None, own) for name, own in variants)
    if len(sizes) > 1:
        for size in sizes:
            yield StandingsScope(
                None, size, tuple(cell for cell in sorted_cells if cell.seats == size)
            )
    if len(variants) > 1 and len(sizes) > 1:
        yield from (StandingsScope(cell.variant, cell.seats, (cell,)) for cell in sorted_cells)


@dataclass(frozen=True, eq=False)
class Survey:
    """A run as it stands, with all figures that the pages show."""

    header: RunHeader
    sessions: Sequence[Session]
    computed_at: str
    """When the survey was made, in UTC."""
    roster: Roster
    rated_cells: Sequence[RatedCell]
    scopes: Sequence[StandingsScope]
    blocks: int
    games: int
    shared_deals: int
    """Blocks with a deal that another block has too."""
    fairness: Sequence[Fairness]
    seat_bias: Mapping[Cell, CellBias]
    """Only with neighbours of significant effect: a thousand bots have a million pairs."""
    cell_spreads: Mapping[Cell, CellSpread]
    point_distributions: Mapping[Cell, PointDistribution]
    """The same with histograms, for each bot of the run."""
    extreme_games: Sequence[Sequence[ExtremeGame]]
    """For each bot."""
    rating_history: Sequence[HistoryPoint]
    sample: GameSample
    fault_counts: Mapping[tuple[str, str], int]
    fault_details: Mapping[str, Sequence[FaultDetails]]
    ladder: LadderInfo | None = None
    """Versions and nights, if the run is a ladder."""

    @property
    def active_bots(self) -> Set[str] | None:
        """The bots in the standings of a ladder; None: all bots."""
        return self.ladder.active_bots if self.ladder else None

    @property
    def listed_bots(self) -> tuple[str, ...]:
        """The bots that every table lists."""
        active = self.active_bots
        bots = self.roster.bots
        return bots if active is None else tuple(name for name in bots if name in active)

    def cells_in_rating(self, scope: StandingsScope) -> Sequence[RatedCell]:
        """The cells of a scope that count in its rating."""
        return cells_in_rating(self.roster, self.played_cells(scope), self.ladder)

    def played_cells(self, scope: StandingsScope) -> list[RatedCell]:
        """The cells of a scope in which a block was played."""
        return [one for one in self.rated_cells if one.cell in scope.cells]

    def table(self, scope: StandingsScope) -> StandingsTable:
        """Compute the standings of a scope."""
        return self.table_of_cells(scope.title, self.played_cells(scope))

    def table_of_cells(self, title: str, cells: Sequence[RatedCell]) -> StandingsTable:
        """Compute the standings of some rated cells."""
        counted = self.ladder.counted_cells if self.ladder else None
        return build_table(
            title, cells, self.roster.bots, times=True, only=self.active_bots, counted=counted
        )

    def unlisted_lines(self, scope: StandingsScope) -> dict[str, StandingsLine]:
        """The bots that the tables leave out, with their ratings in a scope."""
        if self.active_bots is None:
            return {}
        return unranked_lines(
            self.cells_in_rating(scope), self.roster.bots, {*self.roster.bots} - self.active_bots
        )

    def crosstable(
        self, scope: StandingsScope, only: Set[str] | None = None, *, only_met: bool
    ) -> Crosstable:
        """Compute the crosstable of a scope, of some bots only, or of pairs that met only."""
        bots = self.active_bots if only is None else only
        return build_crosstable(
            self.roster, self.cells_in_rating(scope), only=bots, met_only=only_met
        )

    @cached_property
    def distributions_by_bot(self) -> dict[str, list[tuple[Cell, BotDistribution]]]:
        """The distribution of the points of each bot in each of its cells."""
        distributions: dict[str, list[tuple[Cell, BotDistribution]]] = {}
        for cell, spread in self.cell_spreads.items():
            for distribution in spread.bots:
                distributions.setdefault(distribution.bot, []).append((cell, distribution))
        return distributions

    def encounters(self) -> Encounters:
        """The results of all pairs of bots overall, including bots that the tables leave out."""
        return Encounters(self.roster, self.cells_in_rating(self.scopes[0]))

    def standings(self, tables: Iterable[StandingsTable] = ()) -> Standings:
        """All tables as `arena standings --by cell` has them; known `tables` are reused."""
        known_tables = {
            (*table.cells, *(one.cell for one in table.pending)): table for table in tables
        }
        table_cells = [
            (self.scopes[0].title, self.rated_cells),
            *((str(one.cell), [one]) for one in self.rated_cells),
        ]
        overall, *parts = (
            structs.replace(known_tables[cells], title=title)
            if (cells := tuple(one.cell for one in cells_of_table)) in known_tables
            else self.table_of_cells(title, cells_of_table)
            for title, cells_of_table in table_cells
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
    """Survey a run; `ladder` has its versions and nights, if it is a ladder.

    Points of the rating history that an earlier survey has computed are taken from it.
    """
    roster, cells = run.roster(), run.cells()
    on_step("ratings")
    results: dict[Cell, Results] = {cell: run.results(cell) for cell in cells}
    rated_cells = rate_cells(roster, results)
    ranked_bots = bots_by_rank(
        roster, cells_in_rating(roster, rated_cells, ladder), ladder.active_bots if ladder else None
    )
    block_numbers: dict[Cell, Ints] = {}
    fairness_by_cell: list[Fairness] = []
    seat_bias: dict[Cell, CellBias] = {}
    cell_spreads: dict[Cell, CellSpread] = {}
    distributions: dict[Cell, PointDistribution] = {}
    extremes: list[list[ExtremeGame]] = [[] for _ in roster.bots]
    on_step("seats and points")
    for cell in cells:
        keys, block_numbers[cell] = run.storage_order(cell)
        seatings = run.seatings(cell)
        fairness_by_cell.append(schedule_fairness.measure_fairness(seatings, len(roster.bots)))
        seat_bias[cell] = drop_insignificant_neighbours(breakdowns.cell_bias(roster, seatings))
        distributions[cell] = measure_distributions(seatings, len(roster.bots))
        cell_spreads[cell] = breakdowns.describe_spread(
            roster, cell, distributions[cell], ranked_bots
        )
        for games_of_bot, extremes_in_cell in zip(
            extremes, extreme_games(seatings, keys, len(roster.bots)), strict=True
        ):
            games_of_bot.extend(extremes_in_cell)
    on_step("rating history")
    rating_history = (
        night_history(roster, rated_cells, block_numbers, ladder, known_history)
        if ladder
        else run_history(roster, rated_cells, block_numbers)
    )
    on_step("a sample of games")
    return Survey(
        header=run.header,
        sessions=run.sessions(),
        computed_at=utc_now(),
        roster=roster,
        rated_cells=rated_cells,
        scopes=list(all_scopes(cells)),
        blocks=sum(one.blocks for one in fairness_by_cell),
        games=sum(one.games for one in fairness_by_cell),
        shared_deals=schedule_fairness.count_shared_deals(run.deal_seeds()),
        fairness=fairness_by_cell,
        seat_bias=seat_bias,
        cell_spreads=cell_spreads,
        point_distributions=distributions,
        extreme_games=extremes,
        rating_history=rating_history,
        sample=sample_games(run),
        fault_counts=run.fault_counts(),
        fault_details=load_faults(run, hide_stderr=ladder is not None),
        ladder=ladder,
    )


def drop_insignificant_neighbours(bias: CellBias) -> CellBias:
    """Leave out the neighbours whose effect is not significant."""
    return structs.replace(
        bias, neighbours=tuple(one for one in bias.neighbours if one.is_sure(MIN_UNEXPECTED_Z))
    )


def cells_in_rating(
    roster: Roster, rated: Sequence[RatedCell], ladder: LadderInfo | None
) -> Sequence[RatedCell]:
    """The cells that count in a rating: all, except new cells of a ladder."""
    if ladder is None:
        return rated
    active_bots = [bot for bot, name in enumerate(roster.bots) if name in ladder.active_bots]
    return select_counted_cells(rated, active_bots, ladder.counted_cells)


def bots_by_rank(
    roster: Roster, rated: Sequence[RatedCell], active_bots: Set[str] | None = None
) -> list[str]:
    """The bots by rank; bots without a rank come later, and bots that no table lists last."""
    mean = average_cells(rated, len(roster.bots))
    order = [*mean.order, *(bot for bot in range(len(roster.bots)) if not mean.is_complete[bot])]
    names = [roster.bots[bot] for bot in order]
    return names if active_bots is None else sorted(names, key=lambda name: name not in active_bots)
