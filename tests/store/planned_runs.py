"""Runs as a tournament's plan has them, with games that are played without processes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from msgspec import structs

from arena.bots.bot import Bot
from arena.referee.faults import Fault
from arena.referee.record import SeatedBot, deciders
from arena.store.block import PlayedBlock, StoredGame, game_result, pack_games
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament, tables_setting
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.resume import run_header
from tests.store.blocks import make_record
from tests.tournaments.fake_tournaments import fake_bots, fake_tournament

SEED = "a seed that stays a secret of these tests"
FAULT = Fault(1, "illegal", "R99 is \x1b[2Jno option", 4)


def create_planned_run(folder: Path, *, faults: bool = False, **changes: Any) -> Path:
    """Create a complete run of a plan; one game of each chunk may have a fault."""
    entrants = changes.pop("bots", fake_bots(4))
    paths = tuple(f"/bots/{bot.name}" for bot in entrants)
    usual = {"bots": entrants, "paths": paths, "deals": 3, "seed": SEED, "name": "friday"}
    made = fake_tournament(**(usual | changes))
    plan = Plan(replace(made, text=tournament_yaml(made)), SEED)
    with Run.create(folder, run_header(plan.tournament, SEED)) as run:
        run.begin_session("code", 1)
        for chunk in plan.stage_chunks(0, {}):
            run.add(play_chunk(plan.tournament.bots, chunk, faults=faults))
        run.end_session("finished", plan.totals.blocks)
    return folder


def tournament_yaml(made: Tournament) -> str:
    """Return the YAML of a tournament."""
    keys = {
        "name": made.name,
        "variants": list(made.variants),
        "seats": sorted({cell.seats for cell in made.cells}),
        "bots": [bot.name for bot in made.bots],
        "deals": made.deals,
        "seating": made.seating,
        "tables": tables_setting(made.tables),
        "chunk": made.chunk,
    }
    return yaml.safe_dump(keys)


def play_chunk(
    bots: Sequence[Bot], chunk: Chunk, *, faults: bool = False, luck: int = 0
) -> list[PlayedBlock]:
    """Play the blocks of a chunk with random choices, drawn from `luck`."""
    seats = [bots[number] for number in chunk.table]
    found = []
    for number, block in enumerate(chunk.blocks):
        kept, results = [], []
        for turn, seating in enumerate(block.seatings):
            guilty = (FAULT,) if faults and number == turn == 0 else ()
            seated = [seats[place] for place in seating]
            names = [bot.name for bot in seated]
            record = make_record(chunk.cell.variant, block.seed, names, faults=guilty, luck=luck)
            versions = tuple(SeatedBot(bot.name, bot.version) for bot in seated)
            record = structs.replace(record, bots=versions)
            results.append(game_result(seating, record, list(deciders(record))))
            stderr = ["oh \x1b[2Jno\n" if seat == 1 else "" for seat in range(len(seats))]
            kept.append(StoredGame(record, tuple(stderr) if guilty else ()))
        found.append(
            PlayedBlock(
                key=block.key,
                variant=chunk.cell.variant,
                seats=chunk.cell.seats,
                number=block.number,
                seed=block.seed,
                bots=tuple(bot.name for bot in seats),
                results=tuple(results),
                packed_games=pack_games(kept),
            )
        )
    return found
