"""Limit how many costly tasks run at once, and how many may wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LimitReached(Exception):
    """Too many tasks are waiting, or too many streams are open."""


class ConcurrencyLimit:
    """A number of slots for running tasks, and a limited queue for waiting ones."""

    def __init__(self, slots: int, max_waiting: int) -> None:
        self.semaphore = asyncio.Semaphore(slots)
        self.waiting = 0
        self.max_waiting = max_waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it until the context ends; raises `LimitReached`."""
        if self.semaphore.locked() and self.waiting >= self.max_waiting:
            raise LimitReached
        self.waiting += 1
        try:
            await self.semaphore.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self.semaphore.release()
