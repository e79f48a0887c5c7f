"""Preview a plan before it is played: its size, cost in time, and fairness."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from random import Random

from msgspec import Struct

from arena.games.catalog import variant
from arena.games.shuffle import SeededShuffle
from arena.ratings.cell import Cell
from arena.ratings.fairness import Fairness, FairnessCounts, count_shared_deals
from arena.tournaments.deals import Dealer, commitment
from arena.tournaments.plan.blocks import PlannedBlock
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan.tables import Table
from arena.tournaments.seatings import design

SECONDS_PER_DECISION = 45e-6
"""Seconds of a core that a decision takes, with bots in Python that answer at once."""
SECONDS_PER_START = 40e-3
"""Seconds of a core until such a bot is ready to play."""
SAMPLE_GAMES = 8
"""Games that are played to see how long they are, where that depends on how they go."""


class Estimate(Struct, frozen=True):
    """What is to be expected."""

    decisions: int
    starts: int
    """Processes of bots that are launched."""
    workers: int
    seconds: float
    """With bots that answer at once."""
    seconds_for_a_millisecond: float
    """That much longer for each millisecond that a bot thinks about a decision."""


@cache
def decisions_per_game(cell: Cell) -> float:
    """The decisions in a game of a cell, as it goes if everybody plays at random."""
    game = variant(cell.variant).game(cell.seats)
    games = 1 if game.sizes.rounds else SAMPLE_GAMES
    found = 0
    for seed in range(games):
        chance = Random(seed)  # noqa: S311 (nobody is to be kept from guessing it)
        state = game.start(SeededShuffle(seed))
        while pending := game.pending(state):
            found += len(pending)
            state = game.apply(state, [chance.choice(each.options) for each in pending])
    return found / games


def estimate_cost(plan: Plan, workers: int) -> Estimate:
    """What a plan costs on so many cores."""
    asked, starts = 0.0, 0
    for cell in plan.tournament.cells:
        total = plan.cell_totals(cell)
        turns = len(design(plan.tournament.seating, cell.seats)[0])
        asked += total.games * decisions_per_game(cell)
        starts += total.chunks * turns * cell.seats
    busy = min(workers, max(1, plan.totals.chunks))
    return Estimate(
        decisions=round(asked),
        starts=starts,
        workers=workers,
        seconds=(asked * SECONDS_PER_DECISION + starts * SECONDS_PER_START) / busy,
        seconds_for_a_millisecond=asked / 1000 / busy,
    )


MAX_COUNTED = 50_000
"""Blocks, or else tables, that are counted one by one; it takes a second or two."""

UNKNOWN_SEED = "no seed yet"
"""Stands for a seed that is drawn when the run begins: what is fair does not depend on it."""


class CellPreview(Struct, frozen=True):
    """What one cell comes to."""

    variant: str
    seats: int
    tables: int
    blocks: int
    games: int
    decisions: float
    """In a game, as it goes if everybody plays at random."""


class Preview(Struct, frozen=True):
    """What a tournament comes to."""

    name: str
    commitment: str | None
    """To the secret seed; None if that is drawn when the run begins."""
    bots: tuple[str, ...]
    seating: str
    tables: int
    chunks: int
    blocks: int
    games: int
    stages: int
    """How often it is seen whether the order is known, or where it is open."""
    adaptive: bool
    """Whether later tables depend on earlier results."""
    stop: float | None
    """How sure the order has to be to stop before all is played; None: all is played."""
    estimate: Estimate
    cells: tuple[CellPreview, ...]
    fairness: tuple[Fairness, ...]
    counted: int
    """The blocks that the fairness is counted over."""
    deals: int
    """Deals that were compared with each other."""
    shared: int
    """Blocks among them that have a deal another one has too: 0, or something is wrong."""
    notes: tuple[str, ...]


class FairnessForecast(Struct, frozen=True):
    """The fairness of some blocks."""

    fairness: tuple[Fairness, ...]
    blocks: int
    seeds: tuple[int, ...]


def preview_plan(plan: Plan, workers: int) -> Preview:
    """What a plan comes to."""
    tournament, totals = plan.tournament, plan.totals
    found = forecast_fairness(plan)
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
        fairness=found.fairness,
        counted=found.blocks,
        deals=len(found.seeds),
        shared=count_shared_deals(found.seeds),
        notes=tournament.notes,
    )


def preview_cell(plan: Plan, cell: Cell) -> CellPreview:
    """What one cell comes to."""
    total = plan.cell_totals(cell)
    return CellPreview(
        cell.variant, cell.seats, total.tables, total.blocks, total.games, decisions_per_game(cell)
    )


def forecast_fairness(plan: Plan, most: int = MAX_COUNTED) -> FairnessForecast:
    """The fairness of a plan: of all blocks, or of as many as can be counted soon."""
    few = plan.totals.blocks <= most
    even = plan.tournament.seating in {"balanced", "all"}
    if few or plan.is_adaptive or not even or plan.totals.tables > most:
        return forecast_by_blocks(plan, islice(planned_blocks(plan), most))
    return forecast_by_tables(plan)


def planned_blocks(plan: Plan) -> Iterator[tuple[Cell, Table, PlannedBlock]]:
    """All blocks that depend on no results, in the order they are played."""
    for number in range(1 if plan.is_adaptive else plan.stage_count):
        for chunk in plan.stage_chunks(number, {}):
            for block in chunk.blocks:
                yield chunk.cell, chunk.table, block


def forecast_by_blocks(
    plan: Plan, blocks: Iterator[tuple[Cell, Table, PlannedBlock]]
) -> FairnessForecast:
    """The fairness of these blocks, one by one."""
    tallies = empty_counts(plan)
    seeds = []
    for cell, table, block in blocks:
        tallies[cell].add(table, block.seatings)
        seeds.append(block.seed)
    return make_forecast(tallies, seeds)


def forecast_by_tables(plan: Plan) -> FairnessForecast:
    """The fairness of all blocks, where whole rounds of the design are counted as one.

    Over such a round it does not matter who has which slot; what is left over is counted by itself.
    """
    tournament = plan.tournament
    tallies = empty_counts(plan)
    seeds = []
    for cell, tally in tallies.items():
        plain = design(tournament.seating, cell.seats)
        tables, size, deals = plan.tables(cell), len(plain), tournament.deals
        for index in range(len(tables)):
            table, visit = tables[index]
            first, last = visit * deals, (visit + 1) * deals
            begin = min(last, -(-first // size) * size)
            end = max(begin, last // size * size)
            for seatings in plain if end > begin else ():
                tally.add(table, seatings, (end - begin) // size)
            for numbers in (range(first, begin), range(end, last)):
                for block in plan.blocks(cell, table, numbers) if numbers else ():
                    tally.add(table, block.seatings)
            seeds.append(
                Dealer(plan.seed, cell, [tournament.bots[bot] for bot in table]).seed(first)
            )
    return make_forecast(tallies, seeds)


def empty_counts(plan: Plan) -> dict[Cell, FairnessCounts]:
    """Nothing counted yet."""
    bots = len(plan.tournament.bots)
    return {cell: FairnessCounts(cell, bots) for cell in plan.tournament.cells}


def make_forecast(tallies: dict[Cell, FairnessCounts], seeds: list[int]) -> FairnessForecast:
    """What was counted."""
    fairness = tuple(tally.fairness() for tally in tallies.values())
    return FairnessForecast(fairness, sum(tally.blocks for tally in tallies.values()), tuple(seeds))
