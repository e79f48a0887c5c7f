"""Runs for tests: folders with blocks whose points are a bot's strength and some chance."""

import random
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations, cycle, islice
from pathlib import Path

from arena.ratings.cell import Cell
from arena.store.block import GameResult, PlayedBlock, pack_games
from arena.store.header import Entrant, RunHeader
from arena.store.run import Run

BOTS = ("ann", "bob", "cleo", "dan", "eve", "finn")
CELLS = (Cell("sticheln", 3), Cell("sticheln", 4), Cell("sticheln+mild", 4), Cell("stick-em", 3))


def make_header(
    bots: Sequence[str] = BOTS, *, name: str = "friday", standing: str = "score", anchors: str = ""
) -> RunHeader:
    """Return the header of a run."""
    return RunHeader(
        name=name,
        text=f"name: {name}\n",
        settings={},
        seed="0" * 64,
        commitment="1" * 64,
        bots=tuple(Entrant(bot, "1", f"/bots/{bot}") for bot in bots),
        rating={"standing": standing, "anchors": anchors.split()},
        created="2030-01-01T00:00:00+00:00",
    )


def create_run(
    folder: Path,
    *,
    about: RunHeader | None = None,
    cells: Sequence[Cell] = CELLS,
    blocks: int = 10,
    bots: Sequence[str] = (),
    noise: float = 6.0,
) -> Path:
    """Create a run with so many blocks in each cell, played by these bots, by default by all."""
    about = about or make_header()
    with Run.create(folder, about) as run:
        run.begin_session("code", 1)
        for cell in cells:
            run.add(
                make_blocks(about, cell, blocks, bots or [bot.name for bot in about.bots], noise)
            )
    return folder


def make_blocks(
    about: RunHeader, cell: Cell, blocks: int, bots: Sequence[str], noise: float
) -> Iterator[PlayedBlock]:
    """Return blocks of all tables in turn; each bot is 4 points a game stronger than the next."""
    chance = random.Random(f"{about.name} {cell}")
    strength = {bot.name: -4 * number for number, bot in enumerate(about.bots)}
    tables = cycle(combinations(bots, cell.seats))
    for number, table in enumerate(islice(tables, blocks)):
        results = []
        for turn in range(cell.seats):
            seating = tuple((seat + turn) % cell.seats for seat in range(cell.seats))
            scores = tuple(
                round(20 + strength[table[place]] + chance.gauss(0, noise)) for place in seating
            )
            faults = tuple(int(chance.random() < 0.01) for _ in seating)
            below = min(scores) - 1
            points = tuple(
                below if guilty else score for guilty, score in zip(faults, scores, strict=True)
            )
            results.append(
                GameResult(
                    seating=seating,
                    scores=scores,
                    ranks=tuple(1 + sum(other > own for other in points) for own in points),
                    points=points,
                    faults=faults,
                    decisions=(70,) * cell.seats,
                    cpu=tuple(chance.randrange(7_000, 70_000) for _ in seating),
                )
            )
        yield PlayedBlock(
            key=sha256(f"{cell} {number} {table}".encode()).digest()[:16],
            variant=cell.variant,
            seats=cell.seats,
            number=number,
            seed=number,
            bots=table,
            results=tuple(results),
            packed_games=pack_games(()),
        )
