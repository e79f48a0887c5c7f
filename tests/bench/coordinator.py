"""What a coordinator and a scheduler can take: blocks a second, and workers that nobody has.

    python -m tests.bench.coordinator [WORKERS SECONDS BLOCKS]...

Workers are those of `tests.bench.crowd`, which play nothing; all else is real. Three numbers ask
for another crowd: how many workers, the seconds of a task, and its blocks.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, cycle, islice
from pathlib import Path

import msgspec
from msgspec import structs
from rich.console import Console
from rich.table import Table

from arena.bots.launcher import Launcher
from arena.cluster.messages import InvalidWorkerReply, PlayedTask, unpack_blocks
from arena.cluster.result_checks import ResultChecks
from arena.referee.record import SeatedBot
from arena.store.block import KEY_BYTES, PlayedBlock
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import BackendEvent, TaskResult
from arena.tournaments.play.check_results import find_record_mismatch, find_replay_error
from arena.tournaments.play.dispatcher import ChunkDispatcher, Progress
from arena.tournaments.play.resume import open_run
from arena.tournaments.play.signals import StopRequest
from arena.tournaments.play.worker import play_chunk
from tests.bench.cluster import HOME, joined, tournament
from tests.bench.meter import Meter
from tests.bench.placing import placing
from tests.bench.sheet import sheet
from tests.cluster.dask_cluster import ROOT, Lab, Program

PLAYED = 8
"""Blocks that are really played."""
FEW = 4
LASTS = 6.0
"""Seconds that a case is measured, after some that are not."""
STORING = 2.0
DEALS = 1_000_000


@dataclass(frozen=True)
class Crowd:
    """Workers that play nothing, and tasks for them."""

    workers: int
    seconds: float
    blocks: int


FAST = (Crowd(FEW, 0, 1), Crowd(FEW, 0, 8), Crowd(FEW, 0, 32))
LARGE = (Crowd(50, 1, 8), Crowd(200, 1, 8), Crowd(200, 4, 32))


class TimedDispatcher(ChunkDispatcher):
    """A dispatcher that counts what it stores, and what storing takes."""

    tasks = 0
    stored_blocks = 0
    stored = 0.0
    """Seconds of CPU time."""
    storing = 0.0
    """Seconds."""

    def store_blocks(self, blocks: list[PlayedBlock]) -> None:
        wall, cpu = time.monotonic(), time.thread_time()
        super().store_blocks(blocks)
        self.stored += time.thread_time() - cpu
        self.storing += time.monotonic() - wall
        self.stored_blocks += len(blocks)

    def handle_event(self, news: BackendEvent) -> None:
        super().handle_event(news)
        self.tasks += isinstance(news, TaskResult)

    def read(self) -> dict[str, float]:
        return {
            "tasks": self.tasks,
            "blocks": self.stored_blocks,
            "store": self.stored,
            "storing": self.storing,
        }


class AcceptingChecks(ResultChecks):
    """Checks everything and accepts it, since a crowd returns blocks of other deals."""

    def accept(
        self, address: str, chunk: Chunk, table: Sequence[SeatedBot], played: PlayedTask
    ) -> list[PlayedBlock] | InvalidWorkerReply:
        super().accept(address, chunk, table, played)
        blocks = unpack_blocks(played.blocks)
        assert not isinstance(blocks, InvalidWorkerReply)
        for block in blocks:
            find_record_mismatch(table, block)
            if self.rng.random() < self.replay_share:
                find_replay_error(block)
        return blocks


class Window:
    """Measures for a while once every worker has returned something, then stops the run."""

    def __init__(self, crowd: Crowd, meter: Meter) -> None:
        self.crowd = crowd
        self.meter = meter
        self.stop_request = StopRequest()
        self.dispatcher: TimedDispatcher | None = None
        self.last = 0.0
        self.before: dict[str, float] = {}
        self.found: dict[str, float] = {}

    def look(self, _: Progress) -> None:
        """Begin or end, if it is time."""
        assert self.dispatcher
        if not self.before and self.dispatcher.tasks >= 2 * self.crowd.workers:
            self.last = time.monotonic() + LASTS
            self.before = self.dispatcher.read()
            self.meter.start()
        elif self.before and not self.found and time.monotonic() >= self.last:
            differences = {
                name: value - self.before[name] for name, value in self.dispatcher.read().items()
            }
            self.found = {**self.meter.stop(), **differences}
            self.stop_request.requests = 2


@contextmanager
def gathered(lab: Lab, crowd: Crowd, blocks: Path) -> Iterator[Program]:
    """A crowd's process, as long as it is needed."""
    words = [lab.head.address, crowd.workers, crowd.seconds, blocks]
    command = [sys.executable, "-m", "tests.bench.crowd", *map(str, words)]
    program = Program(lab, f"crowd-{len(lab.programs)}", HOME, command, {"PYTHONPATH": str(ROOT)})
    try:
        program.wait_for("(all are there)")
        yield program
    finally:
        program.kill()
        lab.wait_for_workers(0)


def measured(lab: Lab, crowd: Crowd, blocks: Path, folder: Path) -> dict[str, float]:
    """What it takes to keep a crowd busy for a while."""
    played = tournament(folder, "balanced", DEALS, crowd.blocks)
    place = folder / f"run-{crowd.workers}-{crowd.seconds}-{crowd.blocks}"
    with gathered(lab, crowd, blocks) as program, open_run(played, place).run as run:
        meter = Meter(lab.head.process.pid, program.pids)
        meter.start()
        with joined(lab.head, played) as cluster:
            cluster.checks = AcceptingChecks(cluster.scheduler.replay_share)
            muster = meter.stop()
            window = Window(crowd, meter)
            dispatcher = window.dispatcher = TimedDispatcher(
                played, run, cluster, window.stop_request, window.look
            )
            dispatcher.play_all(iter(Plan(played, run.header.seed).stage_chunks(0, {})))
    used = muster["main"] + muster["loop"] + muster["scheduler"]
    return {"muster": muster["wall"], "mustering": used, **window.found}


def capacity(found: dict[str, float], crowd: Crowd) -> tuple[list[str], list[str]]:
    """Rates, and who takes how much CPU time of each task."""
    wall, tasks = found["wall"], found["tasks"]
    busy = tasks * crowd.seconds / wall / crowd.workers
    rates = [
        f"{found['muster']:.1f}",
        f"{found['mustering']:.1f}",
        f"{tasks / wall:,.0f}",
        f"{found['blocks'] / wall:,.0f}",
        f"{busy:.2f}" if crowd.seconds else "",
    ]
    coordinator = found["main"] + found["loop"]
    parts = [found["main"] - found["store"], found["store"], found["loop"], coordinator]
    parts += [found["scheduler"], found["workers"]]
    costs = [f"{part / tasks * 1000:.2f}" for part in parts]
    disk = found["storing"] - found["store"]
    users = (coordinator, found["scheduler"], found["workers"], disk)
    shares = [f"{part / wall:.2f}" for part in users]
    most = [f"{tasks / part:,.0f}" for part in (coordinator, found["scheduler"])]
    return rates + shares + most, costs


def storing(blocks: list[PlayedBlock], folder: Path) -> Table:
    """Blocks a second that the store takes, with nobody else."""
    table = sheet("the store alone", "blocks/s", "CPU, µs a block", "blocks/s if CPU is all")
    played = tournament(folder, "balanced", DEALS, 1)
    for batch in (1, 8, 32):
        numbers = count()
        with open_run(played, folder / f"store-{batch}").run as run:
            begun, cpu = time.monotonic(), time.thread_time()
            while time.monotonic() < begun + STORING:
                run.add(list(islice(copies(blocks, numbers), batch)))
            took, spent = time.monotonic() - begun, time.thread_time() - cpu
        kept = next(numbers)
        figures = kept / took, spent / kept * 1e6, kept / spent
        table.add_row(f"{batch} blocks a commit", *(f"{figure:,.0f}" for figure in figures))
    return table


def copies(blocks: list[PlayedBlock], numbers: Iterator[int]) -> Iterator[PlayedBlock]:
    """The same blocks again under keys of their own."""
    for block in cycle(blocks):
        number = next(numbers)
        key = sha256(b"%d" % number).digest()[:KEY_BYTES]
        yield structs.replace(block, key=key, number=number, seed=number)


def main(crowds: Sequence[Crowd] = (*FAST, *LARGE)) -> None:
    console = Console(width=150)
    rates = sheet(
        "workers, s a task, blocks a task",
        *("muster s", "its CPU s", "tasks/s", "blocks/s", "busy"),
        *("coordinator", "scheduler", "crowd", "disk", "most: coord.", "sched."),
    )
    costs = sheet(
        "CPU, ms a task", "main", "store", "connection", "coordinator", "scheduler", "crowd"
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)  # in the sandbox, a bot may be another user
        blocks = real(folder)
        file = folder / "blocks"
        file.write_bytes(msgspec.msgpack.encode(blocks))
        console.print(storing(blocks, folder))
        console.print(placing())
        with Lab(folder, (HOME,)) as lab, lab.inside(HOME):
            lab.scheduler(node=HOME)
            for crowd in crowds:
                name = f"{crowd.workers}, {crowd.seconds:g}, {crowd.blocks}"
                rate, cost = capacity(measured(lab, crowd, file, folder), crowd)
                rates.add_row(name, *rate)
                costs.add_row(name, *cost)
    console.print(rates)
    console.print(costs)


def real(folder: Path) -> list[PlayedBlock]:
    """Blocks that were played here."""
    played = tournament(folder, "balanced", PLAYED, PLAYED)
    chunk = next(Plan(played, "").stage_chunks(0, {}))
    with Launcher(played.referee_config.sandbox) as launcher:
        return play_chunk(chunk, played.bots, launcher, played.referee_config, lambda: None)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    asked = [
        Crowd(int(workers), float(seconds), int(blocks))
        for workers, seconds, blocks in zip(
            arguments[::3], arguments[1::3], arguments[2::3], strict=True
        )
    ]
    main(asked or (*FAST, *LARGE))
