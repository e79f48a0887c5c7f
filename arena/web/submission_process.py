"""The process that works on one submission and is killed when its server ends."""

import asyncio
import os
import runpy
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from arena.bots.reaper import die_with_parent

WORKER_MODULE: Final = "arena.ladder.submissions.worker"


class SubmissionProcess:
    """A process that works on a submission."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: Path, submission_id: str) -> Self:
        """Start one; its parent is the thread that does this, which has to live on."""
        words = [str(os.getpid()), str(folder), submission_id]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.web.submission_process", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        return cls(process)

    async def wait_or_kill(self, seconds: float) -> bool:
        """Whether it has ended by itself within some time; else it is ended."""
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            await self.kill()
            return False
        return True

    async def kill(self) -> None:
        """Kill it before it can give up its work; the supervisors of its bots end the rest."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


def main(parent: str, folder: str, submission_id: str) -> None:
    """Run the worker, to be killed when the server ends, however it ends."""
    die_with_parent(int(parent), signal.SIGKILL)
    sys.argv = [WORKER_MODULE, folder, submission_id]
    runpy.run_module(WORKER_MODULE, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
