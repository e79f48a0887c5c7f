"""Places: so many at a time, so many wait, and the others are sent away at once."""

import asyncio

import pytest

from arena.web.limits import ConcurrencyLimit, LimitReached


def test_the_limit_on_concurrency() -> None:
    async def crowd() -> None:
        places, leave = ConcurrencyLimit(2, 1), asyncio.Event()
        inside = 0

        async def visit() -> None:
            nonlocal inside
            async with places.slot():
                inside += 1
                await leave.wait()
                inside -= 1

        visitors = [asyncio.create_task(visit()) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert (inside, places.waiting) == (2, 1)
        with pytest.raises(LimitReached):
            await visit()
        leave.set()
        await asyncio.gather(*visitors)
        assert (inside, places.waiting) == (0, 0)
        await visit()

    asyncio.run(crowd())


def test_a_cancelled_waiter_takes_no_slot() -> None:
    async def crowd() -> None:
        places = ConcurrencyLimit(1, 2)
        async with places.slot():
            waiting = asyncio.create_task(places.slot().__aenter__())
            await asyncio.sleep(0.01)
            waiting.cancel()
            await asyncio.sleep(0.01)
        async with places.slot():
            assert places.waiting == 0

    asyncio.run(crowd())
