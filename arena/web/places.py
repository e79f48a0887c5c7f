"""Places: how many may do something costly at a time, and how many may wait for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Busy(Exception):
    """So many wait already that nobody else can; later somebody can again."""


class Places:
    """So many places, and a queue before them that has an end."""

    def __init__(self, places: int, waiting: int) -> None:
        self.free = asyncio.Semaphore(places)
        self.waiting = 0
        self.most = waiting

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for a place, and leave it at the end."""
        if self.free.locked() and self.waiting >= self.most:
            raise Busy
        self.waiting += 1
        try:
            await self.free.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self.free.release()
