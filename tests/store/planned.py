"""Runs as a tournament's plan has them, with games that are played without processes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from msgspec import structs

from arena.bots.bot import Bot
from arena.match.faults import Fault
from arena.match.record import Seated, deciders
from arena.store.block import Block, Kept, pack, result
from arena.store.run import Run
from arena.tournaments.block import Chunk
from arena.tournaments.config import Tournament, told
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
    made = tournament(**(usual | changes))
    plan = Plan(replace(made, text=text(made)), SEED)
    with Run.create(folder, header(plan.tournament, SEED)) as run:
        run.session("code", 1)
        for chunk in plan.stage(0, {}):
            run.add(blocks(plan.tournament.bots, chunk, faults=faults))
        run.end("finished", plan.totals.blocks)
    return folder


def text(made: Tournament) -> str:
    """The file of a tournament, as somebody could have written it."""
    keys = {
        "name": made.name,
        "variants": list(made.variants),
        "seats": sorted({cell.seats for cell in made.cells}),
        "bots": [bot.name for bot in made.bots],
        "deals": made.deals,
        "seating": made.seating,
        "tables": told(made.tables),
        "chunk": made.chunk,
    }
    return yaml.safe_dump(keys)


def blocks(
    bots: Sequence[Bot], chunk: Chunk, *, faults: bool = False, luck: int = 0
) -> list[Block]:
    """The blocks of a chunk, played by some of these bots; with other luck they go otherwise."""
    seats = [bots[number] for number in chunk.table]
    found = []
    for number, block in enumerate(chunk.blocks):
        kept, results = [], []
        for turn, seating in enumerate(block.seatings):
            guilty = (FAULT,) if faults and number == turn == 0 else ()
            seated = [seats[place] for place in seating]
            names = [bot.name for bot in seated]
            record = recorded(chunk.cell.variant, block.seed, names, faults=guilty, luck=luck)
            versions = tuple(Seated(bot.name, bot.version) for bot in seated)
            record = structs.replace(record, bots=versions)
            results.append(result(seating, record, list(deciders(record))))
            stderr = ["oh \x1b[2Jno\n" if seat == 1 else "" for seat in range(len(seats))]
            kept.append(Kept(record, tuple(stderr) if guilty else ()))
        found.append(
            Block(
                key=block.key,
                variant=chunk.cell.variant,
                seats=chunk.cell.seats,
                number=block.number,
                seed=block.seed,
                bots=tuple(bot.name for bot in seats),
                results=tuple(results),
                kept=pack(kept),
            )
        )
    return found
