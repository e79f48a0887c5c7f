"""What a tournament costs: games a second on one core and on two, keeping them, ranking them."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from msgspec import structs
from rich.console import Console

from arena.store.block import PlayedBlock, pack_games
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.local_backend import LocalBackend, count_cores
from arena.tournaments.play.resume import open_run
from arena.tournaments.play.run import RunResult, TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.bench.sheet import sheet

TOURNAMENT = """
name: bench
seed: the bench is the same every time
variants: [sticheln]
seats: 4
bots: [ducker, first-legal, highest, lowest, random]
tables: {sample: 4}
deals: 64
chunk: 64
"""
TURNS = 2
STORED = 1_000_000
BATCH = 64
"""Blocks that are kept in one go."""


def played(tournament: Tournament, folder: Path, workers: int) -> RunResult:
    """The whole tournament on so many cores, from the first start of a bot."""
    with (
        open_run(tournament, folder).run as run,
        LocalBackend(workers, tournament.bots, tournament.referee_config) as backend,
    ):
        plan = Plan(tournament, run.header.seed)
        return TournamentSession(plan, run, backend, StopRequest(), lambda _: None).play()


def decisions(folder: Path) -> int:
    with Run.open(folder) as run:
        return sum(int(run.results(cell).decisions.sum()) for cell in run.cells())


def speed(console: Console, tournament: Tournament, folder: Path) -> Path:
    """Games a second on one core and on two, in turns; a run's folder, to go on with."""
    table = sheet("tournament: plain Python bots", "games/s", "decisions/s", "against one core")
    best: dict[int, float] = {}
    kept = folder / "1-0"
    for turn in range(TURNS):
        for workers in (1, 2):
            place = folder / f"{workers}-{turn}"
            progress = played(tournament, place, workers).progress
            rate = progress.new_games / progress.seconds
            best[workers] = max(rate, best.get(workers, 0.0))
    each = decisions(kept) / Plan(tournament, "").totals.games
    for workers, rate in best.items():
        ratio = f"{rate / best[1]:.2f}"
        table.add_row(f"{workers} workers", f"{rate:,.0f}", f"{rate * each:,.0f}", ratio)
    console.print(table)
    if count_cores() < 2:
        console.print("There is one core only: two workers share it.")
    return kept


def keeping(console: Console, source: Path, folder: Path) -> None:
    """What it costs to keep a game with its record."""
    with Run.open(source) as run:
        about = run.header
        blocks = list(run.blocks())
    with Run.create(folder, about) as run:
        begun = time.perf_counter()
        for first in range(0, len(blocks), BATCH):
            run.add(blocks[first : first + BATCH])
        took = time.perf_counter() - begun
    games = sum(len(block.results) for block in blocks)
    size = (folder / "run.db").stat().st_size
    packed = sum(len(block.packed_games) for block in blocks)
    table = sheet("the store", "µs a game", "bytes a game", "of them records")
    figures = f"{took / games * 1e6:,.0f}", f"{size / games:,.0f}", f"{packed / games:,.0f}"
    table.add_row(f"{games:,} games, {BATCH} blocks a commit", *figures)
    console.print(table)


def copies(blocks: list[PlayedBlock], games: int) -> Iterator[PlayedBlock]:
    """The same results under new keys, as often as it takes; without records, to save room."""
    number = 0
    while games > 0:
        for block in blocks:
            number += 1
            games -= len(block.results)
            key = sha256(b"%d" % number).digest()[: len(block.key)]
            yield structs.replace(
                block, key=key, number=number, seed=number, packed_games=pack_games(())
            )


def ranking(console: Console, source: Path, folder: Path) -> None:
    """How long standings take when many games are stored."""
    with Run.open(source) as run:
        about = run.header
        blocks = list(run.blocks())
    with Run.create(folder, about) as run:
        found = list(copies(blocks, STORED))
        for first in range(0, len(found), 4096):
            run.add(found[first : first + 4096])
    table = sheet(f"{STORED:,} stored games", "seconds")
    for words in (["standings"], ["standings", "--json"], ["crosstable"]):
        begun = time.perf_counter()
        command = [sys.executable, "-m", "arena", *words, str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        table.add_row(" ".join(["arena", *words]), f"{time.perf_counter() - begun:.1f}")
    console.print(table)


def main() -> None:
    console = Console()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        file = folder / "bench.yaml"
        file.write_text(TOURNAMENT)
        run = speed(console, load_tournament(file), folder)
        keeping(console, run, folder / "kept")
        ranking(console, run, folder / "many")


if __name__ == "__main__":
    main()
