"""What a cluster costs beside the local backend: the same games on the same cores, in turns."""

import pickle
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from arena.cluster.backend import Cluster
from arena.cluster.dask import RemoteOrder
from arena.cluster.messages import PlayedTask, PlayOrder, ship_bot
from arena.store.block import PlayedBlock
from arena.store.run import Run
from arena.tournaments.config.scheduler_address import SchedulerAddress
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import Backend, BackendEvent, ChunkTask, TaskResult
from arena.tournaments.play.dispatcher import BotFiles
from arena.tournaments.play.local_backend import LocalBackend, count_cores
from arena.tournaments.play.resume import open_run
from arena.tournaments.play.run import TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.bench.meter import Meter
from tests.bench.sheet import sheet
from tests.cluster.dask_cluster import Lab, Scheduler

TOURNAMENT = """
name: bench
seed: the bench is the same every time
variants: [sticheln]
seats: 4
bots: [amber, brass, coral, denim]
seating: {seating}
deals: {deals}
chunk: {chunk}
"""
MANIFEST = """
name: {name}
run: [python3, -S, -E, plain_bot.py, "64"]
"""
NAMES = ("amber", "brass", "coral", "denim")
PLAIN = Path(__file__).with_name("plain_bot.py")
HOME = "home"
TURNS = 3
ALL = ("main", "loop", "scheduler", "workers", "games")
"""All that uses CPU time; the coordinator has two threads."""
DASK = ("scheduler", "workers")


@dataclass(frozen=True)
class Size:
    """How long a task is meant to be, and what makes it so."""

    seconds: float
    seating: str
    chunk: int
    tasks: int


SIZES = (
    Size(0.25, "random", 4, 12),
    Size(1, "random", 40, 10),
    Size(4, "balanced", 48, 4),
)


class TimedSession(TournamentSession):
    """A session that notes how long each task took."""

    took: list[float]

    def handle_event(self, news: BackendEvent) -> None:
        if isinstance(news, TaskResult):
            self.took.append(news.seconds)
        super().handle_event(news)


@dataclass
class Turns:
    """What slices of one backend cost."""

    rates: list[float] = field(default_factory=list)
    """Games a second."""
    took: list[float] = field(default_factory=list)
    """Seconds of each task."""
    tasks: int = 0
    blocks: int = 0
    spent: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def each(self, *names: str) -> float:
        """Milliseconds for each task."""
        return sum(self.spent[name] for name in names) / self.tasks * 1000


def tournament(folder: Path, seating: str, deals: int, chunk: int) -> Tournament:
    """A tournament of plain Python bots."""
    for name in NAMES:
        place = folder / name
        place.mkdir(exist_ok=True)
        (place / PLAIN.name).write_bytes(PLAIN.read_bytes())
        (place / "bot.yaml").write_text(MANIFEST.format(name=name))
    file = folder / f"{seating}-{deals}-{chunk}.yaml"
    file.write_text(TOURNAMENT.format(seating=seating, deals=deals, chunk=chunk))
    return load_tournament(file)


@contextmanager
def joined(head: Scheduler, played: Tournament) -> Iterator[Cluster]:
    """The cluster of a scheduler, ready to play a tournament."""
    with Cluster(SchedulerAddress(head.address), played.referee_config) as cluster:
        cluster.check_bots(BotFiles(played.bots, played.paths).bot_paths)
        yield cluster


def play(played: Tournament, folder: Path, backend: Backend, meter: Meter, turns: Turns) -> None:
    """A slice: the whole tournament, kept in a folder of its own."""
    with open_run(played, folder).run as run:
        session = TimedSession(
            Plan(played, run.header.seed), run, backend, StopRequest(), lambda _: None
        )
        session.took = turns.took
        meter.start()
        result = session.play()
        spent = meter.stop()
    turns.rates.append(result.progress.new_games / spent["wall"])
    turns.tasks = len(turns.took)
    turns.blocks += result.progress.blocks
    for name, value in spent.items():
        turns.spent[name] = turns.spent.get(name, 0.0) + value


def compare(size: Size, head: Scheduler, workers: list[int], folder: Path) -> tuple[Turns, Turns]:
    """Slices of the local backend and of the cluster, in turn."""
    local, remote = Turns(), Turns()
    played = tournament(folder, size.seating, size.chunk * size.tasks, size.chunk)
    warm = tournament(folder, size.seating, 2 * count_cores(), 1)
    with ExitStack() as stack:
        here = stack.enter_context(LocalBackend(count_cores(), played.bots, played.referee_config))
        there = stack.enter_context(joined(head, played))
        meter = Meter(
            head.process.pid,
            workers,
            lambda: [one.process.pid or 0 for one in here.workers.values()],
        )
        for turn in range(-1, TURNS):
            for backend, turns in ((here, local), (there, remote)):
                place = folder / f"{size.seconds}-{type(backend).__name__}-{turn}"
                if turn < 0:
                    play(warm, place, backend, meter, Turns())
                else:
                    play(played, place, backend, meter, turns)
    return local, remote


def weights(played: Tournament, blocks: list[PlayedBlock]) -> tuple[int, int]:
    """The bytes of an order without bundles, and of what comes back."""
    chunk = next(Plan(played, "").stage_chunks(0, {}))
    entries = tuple(ship_bot(*one).entry for one in BotFiles(played.bots, played.paths).bot_paths)
    order = PlayOrder(ChunkTask(1, chunk), 1, entries, played.referee_config, played.variants)
    answer = PlayedTask(msgspec.msgpack.encode(blocks[: len(chunk.blocks)]), 1.0)
    return len(pickle.dumps(RemoteOrder(order, "topic"))), len(pickle.dumps(answer))


def main() -> None:
    console = Console(width=140)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)  # in the sandbox, a bot may be another user
        with Lab(folder, (HOME,)) as lab, lab.inside(HOME):
            head = lab.scheduler(node=HOME)
            own = {"TMPDIR": str(folder)}  # where worker processes see which cores are taken
            crew = [lab.worker(f"worker-{one}", node=HOME, env=own) for one in range(count_cores())]
            lab.wait_for_workers(len(crew))
            for size in SIZES:
                local, remote = compare(size, head, [one.pid for one in crew], folder)
                console.print(speeds(size, local, remote))
                console.print(costs(local, remote))
                console.print(traffic(size, remote, folder))


def speeds(size: Size, local: Turns, remote: Turns) -> Table:
    """How fast it was."""
    table = sheet(
        f"tasks of about {size.seconds:g} s on {count_cores()} cores",
        *(
            "s a task",
            "games/s",
            "ratio",
            "in each turn",
            "ratio by CPU time",
            "idle: scheduler",
            "workers",
        ),
    )
    ratios = [there / here for here, there in zip(local.rates, remote.rates, strict=True)]
    ratio = remote.rate / local.rate
    turns = " ".join(f"{one:.2f}" for one in ratios)
    table.add_row("local", f"{statistics.median(local.took):.2f}", f"{local.rate:.1f}", "1.00")
    idle = [local.spent[part] / local.spent["wall"] for part in DASK]
    cells = (f"{ratio:.2f}", turns, f"{by_cpu(local, remote):.2f}", *(f"{one:.1%}" for one in idle))
    table.add_row("cluster", f"{statistics.median(remote.took):.2f}", f"{remote.rate:.1f}", *cells)
    return table


def by_cpu(local: Turns, remote: Turns) -> float:
    """What the ratio would be if nobody else used these cores and they never rested.

    Dask's processes use some time in each second, whether games are played or not; what they use
    beyond that is for tasks. Games are taken to cost the same everywhere.
    """
    games = (local.each("games") + remote.each("games")) / 2
    idle = sum(local.spent[part] for part in DASK) / local.spent["wall"]
    beyond = remote.each(*DASK) - idle * remote.each("wall")
    least = games + local.each("main", "loop")
    return least * (1 - idle / count_cores()) / (games + remote.each("main", "loop") + beyond)


def costs(local: Turns, remote: Turns) -> Table:
    """Who used how much CPU time."""
    table = sheet("CPU, ms a task", "coordinator", "scheduler", "workers", "games")
    for name, turns in (("local", local), ("cluster", remote)):
        parts = (("main", "loop"), ("scheduler",), ("workers",), ("games",))
        table.add_row(name, *(f"{turns.each(*part):.1f}" for part in parts))
    return table


def traffic(size: Size, remote: Turns, folder: Path) -> Table:
    """What passed over the wire."""
    table = sheet(
        "bytes", "blocks a task", "order", "outcome", "outcome a block", "on all wires a block"
    )
    played = tournament(folder, size.seating, size.chunk * size.tasks, size.chunk)
    with Run.open(folder / f"{size.seconds}-Cluster-0") as run:
        blocks = list(run.blocks())
    order, outcome = weights(played, blocks)
    figures = order, outcome, outcome / size.chunk, remote.spent["bytes"] / remote.blocks
    table.add_row("cluster", str(size.chunk), *(f"{figure:,.0f}" for figure in figures))
    return table


if __name__ == "__main__":
    main()
