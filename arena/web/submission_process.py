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
    """A worker process for one submission."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: Path, submission_id: str) -> Self:
        """Start a process; the thread that does this is its parent and has to stay alive."""
        arguments = [str(os.getpid()), str(folder), submission_id]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.web.submission_process", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        return cls(process)

    async def wait_or_kill(self, seconds: float) -> bool:
        """Wait for its end; kill it after some seconds and return False."""
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            await self.kill()
            return False
        return True

    async def kill(self) -> None:
        """Kill it; the supervisors of its bots then end the bots."""
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
