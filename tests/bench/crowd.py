"""A crowd: many Dask workers in one process that play nothing and return the same blocks again.

    python -m tests.bench.crowd SCHEDULER WORKERS SECONDS BLOCKS

All but the games is real: a task takes so many seconds, of which it is told now and then, and what
comes back are blocks that were played once, under the keys that were asked for.
"""

import asyncio
import logging
import sys
import time
from contextlib import AsyncExitStack, ExitStack
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import msgspec
from distributed import Worker
from msgspec import structs

from arena.bots.bot import Bot
from arena.cluster import dask as cluster_dask
from arena.cluster.messages import LogMessage, Outcome, PlayedTask, PlayOrder
from arena.cluster.worker import OrderReporter, OrderRunner
from arena.cluster.worker_process import IsWanted, PlayRequest
from arena.referee.config import RefereeConfig
from arena.store.block import PlayedBlock
from arena.tournaments.play.backend import GamesFinished
from arena.tournaments.play.worker import PROGRESS_INTERVAL

SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.system-monitor.interval": "10s",
}
"""What each worker would do many times a second for itself, and all of them here in one process."""


class Idlers(OrderRunner):
    """A runner that gives blocks back which were played before."""

    def __init__(self, blocks: list[PlayedBlock], seconds: float) -> None:
        super().__init__()
        self.blocks = blocks
        self.seconds = seconds

    def prepare_bots(self, order: PlayOrder, config: RefereeConfig, stack: ExitStack) -> list[Bot]:  # noqa: ARG002
        """Nothing but the names of the bots is needed."""
        return [Bot(entry.name, "", (), Path()) for entry in order.entries]

    def play(self, request: PlayRequest, reporter: OrderReporter, is_wanted: IsWanted) -> Outcome:  # noqa: ARG002
        """Wait as long as games would take, and say as much meanwhile."""
        until = time.monotonic() + self.seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, PROGRESS_INTERVAL))
            reporter.handle_event(GamesFinished(request.task.number, 1))
        text = f"chunk {request.task.number}: nothing was played"
        reporter.handle_event(LogMessage(__name__, logging.INFO, text, time.time()))
        names = tuple(bot.name for bot in request.bots)
        chunk = request.task.chunk
        blocks = [
            structs.replace(block, key=asked.key, number=asked.number, seed=asked.seed, bots=names)
            for asked, block in zip(chunk.blocks, cycle(self.blocks), strict=False)
        ]
        return PlayedTask(msgspec.msgpack.encode(blocks), max(self.seconds, 0.001))


async def gather(address: str, number: int, folder: str) -> None:
    """Workers of a scheduler, until it is gone."""
    async with AsyncExitStack() as stack:
        workers = [
            Worker(
                address,
                nthreads=1,
                name=f"idler-{one}",
                local_directory=folder,
                memory_limit=0,
                dashboard=False,
            )
            for one in range(number)
        ]
        await asyncio.gather(*map(stack.enter_async_context, workers))
        print("all are there", flush=True)
        await asyncio.gather(*(worker.finished() for worker in workers))


def main() -> None:
    address, number, seconds, file = sys.argv[1:]
    blocks = msgspec.msgpack.decode(Path(file).read_bytes(), type=list[PlayedBlock])
    cluster_dask.RUNNER.append(Idlers(blocks, float(seconds)))
    with dask.config.set(SETTINGS), TemporaryDirectory() as folder:
        asyncio.run(gather(address, int(number), folder))


if __name__ == "__main__":
    main()
