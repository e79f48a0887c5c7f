"""Clerks: processes that each work on one submission, and never outlive the server."""

import asyncio
import os
import runpy
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from arena.bots.guard import die_with_parent

CLERK: Final = "arena.ladder.clerk"


class Clerk:
    """A process that works on a submission."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: Path, number: str) -> Self:
        """Start one; its parent is the thread that does this, which has to live on."""
        words = [str(os.getpid()), str(folder), number]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.web.clerks", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        return cls(process)

    async def ended(self, seconds: float) -> bool:
        """Whether it has ended by itself within some time; else it is ended."""
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            await self.end()
            return False
        return True

    async def end(self) -> None:
        """End it before it can give up what it works on; the wardens of its bots end the rest."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


def main(parent: str, folder: str, number: str) -> None:
    """Be a clerk that is killed when its server is gone, however that went."""
    die_with_parent(int(parent), signal.SIGKILL)
    sys.argv = [CLERK, folder, number]
    runpy.run_module(CLERK, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
