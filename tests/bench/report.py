"""What a site costs: of a thousand games, of a hundred thousand, and of two thousand bots."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import structs
from rich.console import Console

from arena.ratings.cell import Cell
from arena.referee.record import SeatedBot
from arena.store.block import GameResult, PlayedBlock, pack_games, unpack_games
from arena.store.header import Entrant
from arena.store.run import Run
from tests.bench.sheet import sheet
from tests.store.planned_runs import create_planned_run

VARIANTS = ("sticheln", "sticheln+aggravated+hazy", "stick-em+delayed", "hat-trick", "was-sticht")
SIZES = (1_000, 100_000)
CROWD, CROWDED = 2_000, 40_000
"""Bots of a crowd, and the blocks that they play."""
NEAR = 200
"""Bots of a crowd sit at a table with those that are no farther away in strength."""
AT_ONCE = 2048


class Cost(NamedTuple):
    """What a command has taken."""

    cpu: float
    took: float
    memory: float
    """Bytes, at most."""


def copied(source: Path, folder: Path, games: int) -> None:
    """A run with so many games: those of another under new keys, as often as it takes."""
    with Run.open(source) as run:
        about, blocks = run.header, list(run.blocks())
    with Run.create(folder, about) as run:
        run.begin_session("code", 1)
        keep(run, again(blocks, games))


def again(blocks: list[PlayedBlock], games: int) -> Iterator[PlayedBlock]:
    """Blocks under new keys, until there are so many games."""
    number = 0
    while games > 0:
        block = blocks[number % len(blocks)]
        number += 1
        games -= len(block.results)
        key = sha256(b"%d" % number).digest()[: len(block.key)]
        yield structs.replace(block, key=key, number=number)


def crowded(source: Path, folder: Path, bots: int = CROWD, blocks: int = CROWDED) -> None:
    """A run of very many bots: records are those of another, results are strength and chance."""
    with Run.open(source) as run:
        about, every = run.header, list(run.blocks())
    names = [f"bot-{number:04}" for number in range(bots)]
    about = structs.replace(
        about, bots=tuple(Entrant(name, "1", f"/bots/{name}") for name in names)
    )
    chance = random.Random("a crowd")
    with Run.create(folder, about) as run:
        run.begin_session("code", 1)
        keep(run, (among(names, every[n % len(every)], n, chance) for n in range(blocks)))


def among(names: list[str], block: PlayedBlock, number: int, chance: random.Random) -> PlayedBlock:
    """A block as another was played, by bots of a crowd that are about as strong."""
    first = chance.randrange(max(1, len(names) - NEAR))
    chosen = chance.sample(range(first, min(len(names), first + NEAR)), block.seats)
    table = tuple(names[one] for one in chosen)
    games = []
    for kept in unpack_games(block.packed_games):
        places = [block.bots.index(seated.name) for seated in kept.record.bots]
        seated = tuple(SeatedBot(table[place], "1") for place in places)
        games.append(structs.replace(kept, record=structs.replace(kept.record, bots=seated)))
    return structs.replace(
        block,
        key=sha256(b"%d" % number).digest()[: len(block.key)],
        number=number,
        seed=number,
        bots=table,
        results=tuple(scored(one, chosen, chance) for one in block.results),
        packed_games=pack_games(games),
    )


def scored(result: GameResult, chosen: list[int], chance: random.Random) -> GameResult:
    """A result by strength and chance, with a fault now and then."""
    scores = tuple(round(20 - chosen[one] / 20 + chance.gauss(0, 6)) for one in result.seating)
    faults = tuple(int(chance.random() < 0.001) for _ in scores)
    points = tuple(
        min(scores) - 1 if guilty else score for guilty, score in zip(faults, scores, strict=True)
    )
    ranks = tuple(1 + sum(other > own for other in points) for own in points)
    return structs.replace(result, scores=scores, points=points, ranks=ranks, faults=faults)


def keep(run: Run, blocks: Iterator[PlayedBlock]) -> None:
    """Put blocks into a run, some at a time."""
    some: list[PlayedBlock] = []
    for block in blocks:
        some.append(block)
        if len(some) == AT_ONCE:
            run.add(some)
            some = []
    run.add(some)


def spent(words: list[str]) -> Cost:
    """What a command takes."""
    begun = time.monotonic()
    process = subprocess.Popen(words)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    took = time.monotonic() - begun
    return Cost(used.ru_utime + used.ru_stime, took, 1024 * used.ru_maxrss)


def main() -> None:
    console = Console()
    titles = ("games", "CPU s", "s", "MB in memory", "MB", "files", "largest page, kB")
    table = sheet("bots", *titles)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "source"
        create_planned_run(source, cells=tuple(Cell(name, 4) for name in VARIANTS), deals=20)
        for games in SIZES:
            copied(source, folder / f"{games}", games)
        crowded(source, folder / "crowd")
        for name in (*map(str, SIZES), "crowd"):
            run, site = folder / name, folder / f"site-{name}"
            cost = spent(
                [sys.executable, "-m", "arena", "report", str(run), "-o", str(site), "--quiet"]
            )
            with Run.open(run) as opened:
                bots, games = len(opened.header.bots), opened.game_count()
            files = [file for file in site.rglob("*") if file.is_file()]
            size = sum(file.stat().st_size for file in files)
            largest = max(file.stat().st_size for file in files if file.suffix == ".html")
            table.add_row(
                f"{bots:,}",
                f"{games:,}",
                f"{cost.cpu:.1f}",
                f"{cost.took:.1f}",
                f"{cost.memory / 1e6:.0f}",
                f"{size / 1e6:.1f}",
                f"{len(files):,}",
                f"{largest / 1e3:.0f}",
            )
    console.print(table)


if __name__ == "__main__":
    main()
