"""Turns: submissions are worked on one after the other, and every owner gets a turn."""

import asyncio
import logging
import shutil
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.ladder.clerk import OURS, held, sweep
from arena.ladder.facts import Said, Submission
from arena.ladder.folder import INCOMING, open_ladder
from arena.ladder.registry import Registry
from arena.web.clerks import Clerk

LOG = logging.getLogger(__name__)

LONGEST = 30 * 60.0
"""Seconds that a clerk may take."""
LOOK = 30.0
"""Seconds after which is looked for submissions that came by another way."""
SWEEP = 3600.0
"""Seconds after which is tidied up again; never before what was interrupted is taken up."""
REST = 5.0
"""Seconds of rest after something went wrong."""
TRIES: Final = 2
"""So often is a submission begun whose clerk ends without a word."""


class Turns:
    """The submissions of a ladder, as they come to their turn."""

    def __init__(self, folder: Path, clerks: int = 1) -> None:
        self.folder = folder
        self.clerks = clerks
        self.going: set[str] = set()
        """Those that are worked on."""
        self.more = asyncio.Event()
        self.choosing = asyncio.Lock()
        self.tried: Counter[str] = Counter()
        self.swept = -SWEEP

    def wake(self) -> None:
        """Something new waits."""
        self.more.set()

    async def take(self) -> None:
        """Work on submissions until this is cancelled; then whatever is worked on is left."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.clerks):
                group.create_task(self.take_one_by_one())

    async def take_one_by_one(self) -> None:
        """Work on one submission after the other."""
        while True:
            try:
                number = await self.next()
                try:
                    await self.work(number)
                finally:
                    self.going.discard(number)
            except ArenaError as error:
                LOG.warning("%s", error)  # the ladder cannot be read or written just now
                await asyncio.sleep(REST)
            except Exception:  # a mistake of ours is not to end the ladder
                LOG.exception("a submission cannot be worked on")
                await asyncio.sleep(REST)

    async def next(self) -> str:
        """Whose turn it is, as soon as there is somebody."""
        async with self.choosing:
            while True:
                self.more.clear()
                if found := await asyncio.to_thread(self.chosen, frozenset(self.going)):
                    self.going.add(found)
                    return found
                if not self.going and self.swept + SWEEP < time.monotonic():
                    self.swept = time.monotonic()
                    await asyncio.to_thread(lambda: sweep(open_ladder(self.folder)))
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await self.more.wait()

    def chosen(self, going: frozenset[str]) -> str | None:
        """What was interrupted, or else the oldest of the owner who had no turn for longest."""
        with Registry.open(self.folder) as registry:
            begun = registry.submissions("running")
            waiting = registry.submissions("waiting")
            rows = registry.rows("SELECT owner, max(begun) FROM submission GROUP BY owner")
        turns = {str(owner): str(when or "") for owner, when in rows}
        waiting.sort(key=lambda one: turns[one.owner])
        free = (one for one in [*begun, *waiting] if one.id not in going)
        return next((one.id for one in free if self.left_alone(one)), None)

    def left_alone(self, submission: Submission) -> bool:
        """Whether nobody else works on a submission."""
        try:
            with held(self.folder / INCOMING / submission.id) as ours:
                return ours
        except OSError:
            return True  # its clerk will find out what is wrong

    async def work(self, number: str) -> None:
        """Let a clerk work on a submission, but not for ever."""
        clerk = await Clerk.start(self.folder, number)
        try:
            in_time = await clerk.ended(LONGEST)
        except asyncio.CancelledError:
            await clerk.end()
            raise
        await asyncio.to_thread(self.settle, number, in_time=in_time)

    def settle(self, number: str, *, in_time: bool) -> None:
        """See to it that a submission does not wait for ever for a clerk that is gone."""
        with Registry.open(self.folder) as registry:
            submission = registry.submission(number)
            if submission is None or submission.over:
                del self.tried[number]
                return
            self.tried[number] += 1
            if in_time and self.tried[number] < TRIES:
                return
            minutes = f"{LONGEST / 60:g}"
            text = OURS if in_time else f"it took longer than {minutes} minutes; send less at once"
            LOG.warning("submission %s was given up: %s", number, text)
            registry.say(number, Said(step="broken", passed=False, text=text))
            registry.end(number, "broken")
            del self.tried[number]
        shutil.rmtree(self.folder / INCOMING / number, ignore_errors=True)
