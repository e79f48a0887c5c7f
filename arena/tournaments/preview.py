"""A preview: what a plan comes to and how fair it is, before anything is played."""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from arena.ratings.cell import Cell
from arena.ratings.fairness import Fairness, Tally, shared
from arena.tournaments.block import Block
from arena.tournaments.deals import Dealer, commitment
from arena.tournaments.designs import design
from arena.tournaments.estimate import Estimate, decisions, estimate
from arena.tournaments.plan import Plan
from arena.tournaments.tables import Table

MOST = 50_000
"""Blocks, or else tables, that are counted one by one; it takes a second or two."""

UNKNOWN = "no seed yet"
"""Stands for a seed that is drawn when the run begins: what is fair does not depend on it."""


class Line(Struct, frozen=True):
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
    cells: tuple[Line, ...]
    fairness: tuple[Fairness, ...]
    counted: int
    """The blocks that the fairness is counted over."""
    deals: int
    """Deals that were compared with each other."""
    shared: int
    """Blocks among them that have a deal another one has too: 0, or something is wrong."""
    notes: tuple[str, ...]


class Counted(Struct, frozen=True):
    """The fairness of some blocks."""

    fairness: tuple[Fairness, ...]
    blocks: int
    seeds: tuple[int, ...]


def preview(plan: Plan, workers: int) -> Preview:
    """What a plan comes to."""
    tournament, totals = plan.tournament, plan.totals
    found = counted(plan)
    return Preview(
        name=tournament.name,
        commitment=None if tournament.seed is None else commitment(tournament.seed),
        bots=tuple(bot.name for bot in tournament.bots),
        seating=tournament.seating,
        tables=totals.tables,
        chunks=totals.chunks,
        blocks=totals.blocks,
        games=totals.games,
        stages=plan.stages,
        adaptive=plan.adaptive,
        stop=tournament.stop.confidence if tournament.stop else None,
        estimate=estimate(plan, workers),
        cells=tuple(line(plan, cell) for cell in tournament.cells),
        fairness=found.fairness,
        counted=found.blocks,
        deals=len(found.seeds),
        shared=shared(found.seeds),
        notes=tournament.notes,
    )


def line(plan: Plan, cell: Cell) -> Line:
    """What one cell comes to."""
    total = plan.total(cell)
    return Line(cell.variant, cell.seats, total.tables, total.blocks, total.games, decisions(cell))


def counted(plan: Plan, most: int = MOST) -> Counted:
    """The fairness of a plan: of all blocks, or of as many as can be counted soon."""
    few = plan.totals.blocks <= most
    even = plan.tournament.seating in {"balanced", "all"}
    if few or plan.adaptive or not even or plan.totals.tables > most:
        return by_blocks(plan, islice(planned(plan), most))
    return by_tables(plan)


def planned(plan: Plan) -> Iterator[tuple[Cell, Table, Block]]:
    """All blocks that depend on no results, in the order they are played."""
    for number in range(1 if plan.adaptive else plan.stages):
        for chunk in plan.stage(number, {}):
            for block in chunk.blocks:
                yield chunk.cell, chunk.table, block


def by_blocks(plan: Plan, blocks: Iterator[tuple[Cell, Table, Block]]) -> Counted:
    """The fairness of these blocks, one by one."""
    tallies = tallies_of(plan)
    seeds = []
    for cell, table, block in blocks:
        tallies[cell].add(table, block.seatings)
        seeds.append(block.seed)
    return counts(tallies, seeds)


def by_tables(plan: Plan) -> Counted:
    """The fairness of all blocks, where whole rounds of the design are counted as one.

    Over such a round it does not matter who has which slot; what is left over is counted by itself.
    """
    tournament = plan.tournament
    tallies = tallies_of(plan)
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
    return counts(tallies, seeds)


def tallies_of(plan: Plan) -> dict[Cell, Tally]:
    """Nothing counted yet."""
    bots = len(plan.tournament.bots)
    return {cell: Tally(cell, bots) for cell in plan.tournament.cells}


def counts(tallies: dict[Cell, Tally], seeds: list[int]) -> Counted:
    """What was counted."""
    fairness = tuple(tally.fairness() for tally in tallies.values())
    return Counted(fairness, sum(tally.blocks for tally in tallies.values()), tuple(seeds))
