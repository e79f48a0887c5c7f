"""What a site costs: seconds, bytes and files, for a thousand games and for a hundred thousand."""

import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from msgspec import structs
from rich.console import Console

from arena.ratings.results import Cell
from arena.store.block import Block
from arena.store.run import Run
from tests.bench.sheet import sheet
from tests.store.planned import played

VARIANTS = ("sticheln", "sticheln+aggravated+hazy", "stick-em+delayed", "hat-trick", "was-sticht")
SIZES = (1_000, 100_000)
AT_ONCE = 2048


def copied(source: Path, folder: Path, games: int) -> None:
    """A run with so many games: those of another under new keys, as often as it takes."""
    with Run.open(source) as run:
        about, blocks = run.header, list(run.blocks())
    with Run.create(folder, about) as run:
        run.session("code", 1)
        some: list[Block] = []
        number = 0
        while games > 0:
            block = blocks[number % len(blocks)]
            number += 1
            games -= len(block.results)
            key = sha256(b"%d" % number).digest()[: len(block.key)]
            some.append(structs.replace(block, key=key, number=number))
            if len(some) == AT_ONCE:
                run.add(some)
                some = []
        run.add(some)


def spent(words: list[str]) -> tuple[float, float]:
    """CPU time and time on the clock of a command."""
    before = os.times()
    subprocess.run(words, check=True)
    after = os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return cpu, after.elapsed - before.elapsed


def main() -> None:
    console = Console()
    table = sheet("games", "CPU s", "s", "MB", "files", "largest page, kB")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        played(folder / "source", cells=tuple(Cell(name, 4) for name in VARIANTS), deals=20)
        for games in SIZES:
            run, site = folder / f"{games}", folder / f"site-{games}"
            copied(folder / "source", run, games)
            cpu, took = spent(
                [sys.executable, "-m", "arena", "report", str(run), "-o", str(site), "--quiet"]
            )
            files = [file for file in site.rglob("*") if file.is_file()]
            size = sum(file.stat().st_size for file in files)
            largest = max(file.stat().st_size for file in files if file.suffix == ".html")
            table.add_row(
                f"{games:,}",
                f"{cpu:.1f}",
                f"{took:.1f}",
                f"{size / 1e6:.1f}",
                f"{len(files):,}",
                f"{largest / 1e3:.0f}",
            )
    console.print(table)


if __name__ == "__main__":
    main()
