"""Preview a plan before it is played: its size, cost in time, and fairness."""

import os
from collections.abc import Iterator
from functools import cache
from itertools import islice
from random import Random

from msgspec import Struct

from arena.games.catalog import variant
from arena.games.shuffle import SeededShuffle
from arena.ratings.cell import Cell
from arena.ratings.schedule_fairness import Fairness, FairnessCounts, count_shared_deals
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.deals import Dealer, commitment
from arena.tournaments.plan.blocks import PlannedBlock
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan.tables import Table
from arena.tournaments.seatings import design

SECONDS_PER_DECISION = 45e-6
"""CPU seconds of a decision, with bots in Python that answer at once."""
SECONDS_PER_START = 40e-3
"""CPU seconds until such a bot is ready to play."""
SAMPLE_GAMES = 8
"""Games that are played to measure their length, if it depends on the choices."""

MAX_COUNTED_BLOCKS = 50_000
"""Blocks, or else tables, that are counted one by one, which takes a second or two."""

UNKNOWN_SEED = "no seed yet"
"""Replaces a seed that is drawn when the run begins; the fairness does not depend on it."""


class CostEstimate(Struct, frozen=True):
    """The expected cost of a plan."""

    decisions: int
    starts: int
    """How many processes of bots are started."""
    workers: int
    seconds: float
    """The duration with bots that answer at once."""
    seconds_for_a_millisecond: float
    """How much longer it takes for each millisecond that a bot needs for a decision."""


@cache
def decisions_per_game(cell: Cell) -> float:
    """The decisions in a game of a cell if all bots play at random."""
    game = variant(cell.variant).game(cell.seats)
    games = 1 if game.sizes.rounds else SAMPLE_GAMES
    decisions = 0
    for seed in range(games):
        random = Random(seed)  # noqa: S311 (it is no secret)
        state = game.start(SeededShuffle(seed))
        while pending := game.pending(state):
            decisions += len(pending)
            state = game.apply(state, [random.choice(decision.options) for decision in pending])
    return decisions / games


def estimate_cost(plan: Plan, workers: int) -> CostEstimate:
    """The cost of a plan on so many cores."""
    decisions, starts = 0.0, 0
    for cell in plan.tournament.cells:
        totals = plan.cell_totals(cell)
        turns = len(design(plan.tournament.seating, cell.seats)[0])
        decisions += totals.games * decisions_per_game(cell)
        starts += totals.chunks * turns * cell.seats
    busy = min(workers, max(1, plan.totals.chunks))
    return CostEstimate(
        decisions=round(decisions),
        starts=starts,
        workers=workers,
        seconds=(decisions * SECONDS_PER_DECISION + starts * SECONDS_PER_START) / busy,
        seconds_for_a_millisecond=decisions / 1000 / busy,
    )


class CellPreview(Struct, frozen=True):
    """The size of one cell."""

    variant: str
    seats: int
    tables: int
    blocks: int
    games: int
    decisions: float
    """In a game, if all bots play at random."""


class Preview(Struct, frozen=True):
    """The size, cost and fairness of a tournament, before it is played."""

    name: str
    commitment: str | None
    """The commitment to the seed; None if a seed is drawn when the run begins."""
    bots: tuple[str, ...]
    seating: str
    tables: int
    chunks: int
    blocks: int
    games: int
    stages: int
    """How often results are examined: whether the order is certain, or where it is open."""
    adaptive: bool
    """Whether later tables depend on earlier results."""
    stop: float | None
    """The confidence in the order at which the run stops early; None: all is played."""
    estimate: CostEstimate
    cells: tuple[CellPreview, ...]
    fairness: tuple[Fairness, ...]
    counted: int
    """The number of blocks over which the fairness was computed."""
    deals: int
    """The number of deals that were compared with each other."""
    shared: int
    """How many of them two blocks share: 0, unless there is a bug."""
    notes: tuple[str, ...]


class FairnessForecast(Struct, frozen=True):
    """The fairness of some blocks, and the seeds of their deals."""

    fairness: tuple[Fairness, ...]
    blocks: int
    seeds: tuple[int, ...]


def preview_tournament(tournament: Tournament) -> Preview:
    """Preview a tournament on as many workers as it says, or on all cores."""
    workers = tournament.workers or len(os.sched_getaffinity(0))
    return preview_plan(Plan(tournament, tournament.seed or UNKNOWN_SEED), workers)


def preview_plan(plan: Plan, workers: int) -> Preview:
    """Preview a plan on so many workers."""
    tournament, totals = plan.tournament, plan.totals
    forecast = forecast_fairness(plan)
    return Preview(
        name=tournament.name,
        commitment=None if tournament.seed is None else commitment(tournament.seed),
        bots=tuple(bot.name for bot in tournament.bots),
        seating=tournament.seating,
        tables=totals.tables,
        chunks=totals.chunks,
        blocks=totals.blocks,
        games=totals.games,
        stages=plan.stage_count,
        adaptive=plan.is_adaptive,
        stop=tournament.stop.confidence if tournament.stop else None,
        estimate=estimate_cost(plan, workers),
        cells=tuple(preview_cell(plan, cell) for cell in tournament.cells),
        fairness=forecast.fairness,
        counted=forecast.blocks,
        deals=len(forecast.seeds),
        shared=count_shared_deals(forecast.seeds),
        notes=tournament.notes,
    )


def preview_cell(plan: Plan, cell: Cell) -> CellPreview:
    """Preview one cell of a plan."""
    totals = plan.cell_totals(cell)
    return CellPreview(
        variant=cell.variant,
        seats=cell.seats,
        tables=totals.tables,
        blocks=totals.blocks,
        games=totals.games,
        decisions=decisions_per_game(cell),
    )


def forecast_fairness(plan: Plan, most: int = MAX_COUNTED_BLOCKS) -> FairnessForecast:
    """The fairness of a plan: of all blocks, or of as many as are counted in a second or two."""
    is_small = plan.totals.blocks <= most
    is_balanced = plan.tournament.seating in {"balanced", "all"}
    if is_small or plan.is_adaptive or not is_balanced or plan.totals.tables > most:
        return forecast_by_blocks(plan, islice(planned_blocks(plan), most))
    return forecast_by_tables(plan)


def planned_blocks(plan: Plan) -> Iterator[tuple[Cell, Table, PlannedBlock]]:
    """All blocks that do not depend on results, in the order in which they are played."""
    for number in range(1 if plan.is_adaptive else plan.stage_count):
        for chunk in plan.stage_chunks(number, {}):
            for block in chunk.blocks:
                yield chunk.cell, chunk.table, block


def forecast_by_blocks(
    plan: Plan, blocks: Iterator[tuple[Cell, Table, PlannedBlock]]
) -> FairnessForecast:
    """The fairness of these blocks, counted one by one."""
    counts_by_cell = empty_counts(plan)
    seeds = []
    for cell, table, block in blocks:
        counts_by_cell[cell].add(table, block.seatings)
        seeds.append(block.seed)
    return make_forecast(counts_by_cell, seeds)


def forecast_by_tables(plan: Plan) -> FairnessForecast:
    """The fairness of all blocks, where complete rounds of the design are counted at once.

    Over such a round it does not matter which bot has which slot; other blocks are counted one by
    one.
    """
    tournament = plan.tournament
    counts_by_cell = empty_counts(plan)
    seeds = []
    for cell, counts in counts_by_cell.items():
        plain = design(tournament.seating, cell.seats)
        tables, size, deals = plan.tables(cell), len(plain), tournament.deals
        for index in range(len(tables)):
            table, visit = tables[index]
            first, last = visit * deals, (visit + 1) * deals
            begin = min(last, -(-first // size) * size)
            end = max(begin, last // size * size)
            for seatings in plain if end > begin else ():
                counts.add(table, seatings, (end - begin) // size)
            for numbers in (range(first, begin), range(end, last)):
                for block in plan.blocks(cell, table, numbers) if numbers else ():
                    counts.add(table, block.seatings)
            seeds.append(
                Dealer(plan.seed, cell, [tournament.bots[bot] for bot in table]).seed(first)
            )
    return make_forecast(counts_by_cell, seeds)


def empty_counts(plan: Plan) -> dict[Cell, FairnessCounts]:
    """Empty counts for each cell."""
    bots = len(plan.tournament.bots)
    return {cell: FairnessCounts(cell, bots) for cell in plan.tournament.cells}


def make_forecast(counts_by_cell: dict[Cell, FairnessCounts], seeds: list[int]) -> FairnessForecast:
    """The forecast from the counts of all cells."""
    fairness = tuple(counts.summarize() for counts in counts_by_cell.values())
    return FairnessForecast(
        fairness, sum(counts.blocks for counts in counts_by_cell.values()), tuple(seeds)
    )
