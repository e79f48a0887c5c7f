"""Turns: submissions are worked on one after the other, and every owner gets a turn."""

import asyncio
import logging
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.ladder import limits
from arena.ladder.admission import forget_build
from arena.ladder.clerk import held, sweep
from arena.ladder.facts import Fate, Said, Submission
from arena.ladder.folder import INCOMING, open_ladder
from arena.ladder.registry import Registry
from arena.web.clerks import Clerk

LOG = logging.getLogger(__name__)

GRACE = 60.0
"""Seconds after its time that a process has to refuse a submission which takes too long."""
LOOK = 30.0
"""Seconds after which is looked for submissions that came by another way."""
SWEEP = 3600.0
"""Seconds after which is tidied up again; never before what was interrupted is taken up."""
REST = 5.0
"""Seconds of rest after something went wrong."""
TRIES: Final = 3
"""How often a submission is begun if its process or the whole server ends without a result."""
GIVEN_UP: Final = (
    f"its process ended {TRIES} times without a result, so it is not tried again; tell the "
    "operator of the ladder, or send a simpler archive"
)


class Turns:
    """The submissions of a ladder, as they come to their turn."""

    def __init__(self, folder: Path, clerks: int = 1) -> None:
        self.folder = folder
        self.clerks = clerks
        self.going: set[str] = set()
        """Those that are worked on."""
        self.more = asyncio.Event()
        self.choosing = asyncio.Lock()
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
            except (ArenaError, OSError) as error:
                # The ladder cannot be read or written just now, or no more files can be open.
                LOG.warning("%s", error)
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
                    await asyncio.to_thread(lambda: sweep(open_ladder(self.folder)))
                    self.swept = time.monotonic()  # what fails is tried again after a rest
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
        settings = (await asyncio.to_thread(open_ladder, self.folder)).settings
        seconds = await asyncio.to_thread(limits.submission_seconds, settings)
        if not await asyncio.to_thread(self.may_try, number):
            return
        try:
            clerk = await Clerk.start(self.folder, number)
        except OSError:
            await asyncio.to_thread(self.count_try, number, -1)  # the machine has no room for it
            raise
        try:
            in_time = await clerk.ended(seconds + GRACE)
        except asyncio.CancelledError:
            await clerk.end()
            with suppress(ArenaError):
                self.count_try(number, -1)  # the server ends, whatever the submission does
            raise
        late = None if in_time else limits.too_long("it", seconds, settings.keys.clock)
        await asyncio.to_thread(self.settle, number, late)

    def count_try(self, number: str, by: int) -> int:
        """Count a try in the registry, or take one back; how many there were."""
        with Registry.open(self.folder) as registry:
            return registry.count_try(number, by)

    def may_try(self, number: str) -> bool:
        """Count a try before it begins; a submission with too many of them is given up.

        They are kept in the registry, for it may be the server that ends with a submission.
        """
        if self.count_try(number, 1) <= TRIES:
            return True
        self.give_up(number, "broken", GIVEN_UP)
        return False

    def settle(self, number: str, late: str | None) -> None:
        """End a submission whose clerk is gone without a result: too late, or once too often."""
        with Registry.open(self.folder) as registry:
            submission = registry.submission(number)
        if submission is None or submission.over:
            return
        if late:
            self.give_up(number, "refused", late)
        elif submission.tries >= TRIES:
            self.give_up(number, "broken", GIVEN_UP)

    def give_up(self, number: str, fate: Fate, text: str) -> None:
        """End a submission without a result of its own, and remove what there is of it."""
        LOG.warning("submission %s was given up: %s", number, text)
        place = self.folder / INCOMING / number
        with Registry.open(self.folder) as registry:
            step = "time" if fate == "refused" else fate
            registry.say(number, Said(step=step, passed=False, text=text))
            registry.end(number, fate)
            digests = {one.digest for one in registry.versions()}
        forget_build(open_ladder(self.folder), place, digests)
        shutil.rmtree(place, ignore_errors=True)
