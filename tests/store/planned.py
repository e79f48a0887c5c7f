"""Runs as a tournament's plan has them, with games that are played without processes."""

from pathlib import Path
from typing import Any

from arena.match.faults import Fault
from arena.match.record import deciders
from arena.store.block import Block, Kept, pack, result
from arena.store.run import Run
from arena.tournaments.block import Chunk
from arena.tournaments.opening import header
from arena.tournaments.plan import Plan
from tests.store.blocks import recorded
from tests.tournaments.makeshift import bots, tournament

SEED = "a seed that stays a secret of these tests"
FAULT = Fault(1, "illegal", "R99 is \x1b[2Jno option", 4)


def played(folder: Path, *, faults: bool = False, **changes: Any) -> Path:
    """A run of a plan in which one game of each chunk may have a fault."""
    entrants = changes.pop("bots", bots(4))
    paths = tuple(f"/bots/{bot.name}" for bot in entrants)
    usual = {"bots": entrants, "paths": paths, "deals": 3, "seed": SEED, "name": "friday"}
    plan = Plan(tournament(**(usual | changes)), SEED)
    with Run.create(folder, header(plan.tournament, SEED)) as run:
        run.session("code", 1)
        for chunk in plan.stage(0, {}):
            run.add(blocks(plan, chunk, faults=faults))
    return folder


def blocks(plan: Plan, chunk: Chunk, *, faults: bool) -> list[Block]:
    """The blocks of a chunk, played."""
    names = [plan.tournament.bots[number].name for number in chunk.table]
    found = []
    for number, block in enumerate(chunk.blocks):
        kept, results = [], []
        for turn, seating in enumerate(block.seatings):
            guilty = (FAULT,) if faults and number == turn == 0 else ()
            seated = [names[place] for place in seating]
            record = recorded(chunk.cell.variant, block.seed, seated, faults=guilty)
            results.append(result(seating, record, list(deciders(record))))
            stderr = ["oh \x1b[2Jno\n" if seat == 1 else "" for seat in range(len(names))]
            kept.append(Kept(record, tuple(stderr) if guilty else ()))
        found.append(
            Block(
                key=block.key,
                variant=chunk.cell.variant,
                seats=chunk.cell.seats,
                number=block.number,
                seed=block.seed,
                bots=tuple(names),
                results=tuple(results),
                kept=pack(kept),
            )
        )
    return found
