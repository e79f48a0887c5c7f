"""A cluster as a backend: chunks are played by workers that come and go, on many machines."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Self

import msgspec

from arena.bots.bot import Bot
from arena.bots.bundle import pack
from arena.bots.contents import digest
from arena.bots.needs import needs
from arena.bots.sandbox.sandbox import Sandbox
from arena.cluster.engine import Engine, NoScheduler
from arena.cluster.events import Census, Event, Examined, Heard, Left, Lost, Returned
from arena.cluster.messages import Entry, Lacking, Logged, Needs, Order, Played, Said, Unfit
from arena.cluster.roster import Roster, Worker
from arena.errors import ArenaError, BadBot
from arena.match.terms import Terms
from arena.ratings.results import Cell
from arena.store.block import Block
from arena.tournaments.address import Address
from arena.tournaments.backend import Broken, Done, Failed, News, Task, Ticked
from arena.tournaments.block import Chunk

LOG = logging.getLogger(__name__)

SILENCE: Final = 90.0
"""Seconds without a word after which a worker is taken to hang, or to be cut off."""
HOPE: Final = 60.0
"""Seconds in which somebody may come who can play what nobody can."""
ANSWER: Final = 30.0
"""Seconds in which workers that are there have to say what they are, before a run begins."""
AGAIN: Final = 1.0
"""Seconds between two attempts to reach a scheduler that is gone."""
GREETINGS: Final = 10
"""So often in all it is excused that a bot could not be asked anything."""
HELD: Final = 16
"""Tasks that are held back for workers that can play them, and four more for each core."""


@dataclass(frozen=True)
class Envoy:
    """A bot that is played elsewhere: as it travels, where it comes from, and what it needs."""

    entry: Entry
    place: Path
    ignored: tuple[str, ...]
    programs: tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """A task that a worker has."""

    task: Task
    address: str
    attempt: int


@dataclass(frozen=True)
class Back:
    """The scheduler answers again."""

    engine: Engine


def envoy(bot: Bot, place: Path) -> Envoy:
    """A bot that lies in a folder or is a script."""
    entry = Entry(digest(place, bot.ignored), bot.name, "" if place.is_dir() else place.name)
    return Envoy(entry, place, bot.ignored, needs(place))


def greeting(number: int) -> Task:
    """A task in which nothing is played: a bot is only asked whether it is ready."""
    return Task(number, Chunk(Cell("", 1), (-1 - number,), ()))


def asked(sandbox: Sandbox) -> Sandbox:
    """Walls as they are asked for elsewhere."""
    return Sandbox(sandbox.level, sandbox.limits, stopped=sandbox.stopped)


class Cluster:
    """Plays chunks on the workers of a Dask scheduler."""

    def __init__(  # noqa: PLR0913 (each may be said by whoever runs it)
        self,
        at: Address,
        terms: Terms,
        *,
        most: int | None = None,
        network: bool = False,
        silence: float = SILENCE,
        hope: float = HOPE,
    ) -> None:
        self.at = at
        self.envoys: list[Envoy] = []
        self.needs: Needs | None = None
        """None until it is known who plays."""
        self.terms = replace(terms, sandbox=asked(terms.sandbox))
        self.network = network
        self.silence = silence
        self.hope = hope
        self.roster = Roster(most)
        self.inbox: SimpleQueue[tuple[int, Event | Back]] = SimpleQueue()
        self.generation = 0
        """How often the scheduler was lost; what an earlier connection says is not heard."""
        self.engine: Engine | None = None
        self.given: dict[int, Given] = {}
        self.waiting: dict[int, Task] = {}
        """Tasks that wait for a worker that can play them."""
        self.hopeless: dict[int, float] = {}
        """Since when nobody can play them."""
        self.shunned: dict[int, set[str]] = {}
        """Workers where a task has failed: others are asked first."""
        self.attempts = count(1)
        self.awake = time.monotonic()
        """When we listened last."""
        self.counted = False
        """Whether it is known who is there."""
        self.bundles: dict[str, bytes] = {}
        self.variants: tuple[str, ...] = ()
        self.lonely = False
        """Whether it was said that there is nobody to play."""
        self.closed = threading.Event()

    def __enter__(self) -> Self:
        self.engine = Engine(self.at, self.post(0))
        until = time.monotonic() + ANSWER
        while not self.counted and time.monotonic() < until:
            for event in self.events(until - time.monotonic()):
                self.take(event)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def post(self, generation: int) -> Callable[[Event | Back], None]:
        """What a connection tells this by."""
        return lambda event: self.inbox.put((generation, event))

    def muster(self, bots: Iterable[tuple[Bot, Path]]) -> dict[str, str]:
        """Wait for what the workers that are there say they are; whom none can play, and why."""
        self.envoys = [envoy(bot, place) for bot, place in bots]
        programs = {name for one in self.envoys for name in one.programs}
        digests = tuple(one.entry.digest for one in self.envoys)
        self.needs = Needs(tuple(sorted(programs)), self.terms.sandbox.level, digests)
        for address in self.roster.workers:
            self.examine(address)
        until = time.monotonic() + ANSWER
        while time.monotonic() < until:
            workers = self.roster.workers.values()
            if all(one.facts is not None or one.refused for one in workers):
                break
            for event in self.events(max(0.0, until - time.monotonic())):
                self.take(event)
        refused = [one.refused for one in self.roster.workers.values() if one.refused]
        if refused and not self.roster.ready:
            whose = "the worker" if len(refused) == 1 else f"none of the {len(refused)} workers"
            verb = "cannot" if len(refused) == 1 else "can"
            raise ArenaError(f"{whose} at {self.at.place} {verb} be used: {refused[0]}")
        reasons = {one.entry.name: self.roster.reasons([one.entry]) for one in self.envoys}
        return {
            name: f"nobody at {self.at.place} can play it: {why}"
            for name, why in reasons.items()
            if why
        }

    def greet(self, variants: tuple[str, ...]) -> None:
        """Refuse bots that do not start anywhere, or do not play what is to be played."""
        self.variants = variants
        tries = 0
        missing = {-1 - bot for bot in range(len(self.envoys))}
        for number in missing:
            self.give(greeting(number))
        while missing:
            for news in self.wait(1.0):
                if isinstance(news, Failed) and (tries := tries + 1) < GREETINGS:
                    LOG.warning("%s; it is asked again", news.text)
                    self.give(greeting(news.number))
                elif isinstance(news, Failed):
                    raise BadBot(news.text)
                elif not isinstance(news, Ticked):
                    missing.discard(news.number)
            for number in missing:
                if why := self.roster.reasons([self.envoys[-1 - number].entry]):
                    raise BadBot(f"nobody at {self.at.place} can play it: {why}")

    @property
    def cores(self) -> int:
        """How many chunks can be played at once, by those who are there."""
        return self.roster.cores

    def examine(self, address: str) -> None:
        """Ask a worker what it is, if it is known already what is needed."""
        if self.engine and self.needs:
            self.engine.examine(address, self.needs)

    def room(self) -> int:
        """How many tasks it would take now."""
        if self.engine is None or len(self.waiting) > HELD + 4 * self.roster.cores:
            return 0
        return self.roster.free()

    def give(self, task: Task) -> None:
        """Let a worker play a task, now or as soon as one can."""
        self.waiting[task.number] = task
        self.place()

    def recall(self) -> list[int]:
        """Take back what nobody has begun."""
        found = list(self.waiting)
        self.waiting.clear()
        for number, given in list(self.given.items()):
            worker = self.roster.workers.get(given.address)
            if worker is None or number not in worker.begun:
                self.release(number)
                found.append(number)
        return found

    def wait(self, seconds: float) -> list[News]:
        """What has happened, as soon as something has, or nothing after so many seconds."""
        if time.monotonic() - self.awake > self.silence / 3:
            self.excuse()
        news: list[News] = []
        for event in self.events(seconds):
            news += self.take(event)
        news += [*self.listen_for_silence(), *self.give_up_hope()]
        self.awake = time.monotonic()
        self.place()
        self.level()
        self.say_if_alone()
        return news

    def events(self, seconds: float) -> Iterator[Event | Back]:
        """What was posted, after at most so many seconds."""
        try:
            generation, event = self.inbox.get(block=seconds > 0, timeout=seconds)
            while True:
                if generation == self.generation:
                    yield event
                generation, event = self.inbox.get_nowait()
        except Empty:
            return

    def take(self, event: Event | Back) -> Iterable[News]:
        """Take what has happened; what of it is news for others."""
        match event:
            case Census():
                return self.census(event)
            case Left():
                return self.leave(event.address, expected=event.expected)
            case Examined():
                self.examined(event)
            case Heard():
                return self.heard(event.said)
            case Returned():
                return self.returned(event)
            case Lost():
                self.lost()
            case Back():
                self.engine = event.engine
                LOG.warning("the scheduler at %s answers again", self.at.place)
        return ()

    def census(self, census: Census) -> Iterable[News]:
        """Ask those who are new what they are, and miss those who are gone."""
        self.counted = True
        for address, machine in census.machines.items():
            if address not in self.roster.workers:
                self.roster.workers[address] = Worker(address, machine.name, machine.threads)
                self.examine(address)
        gone = [one for one in self.roster.workers if one not in census.machines]
        return [news for address in gone for news in self.leave(address, expected=False)]

    def leave(self, address: str, *, expected: bool) -> Iterable[News]:
        """A worker is gone: what it had is played elsewhere, and what it was at may count."""
        worker = self.roster.workers.get(address)
        if worker is None:
            return []
        how = "has left" if expected else "is gone"
        LOG.warning("%s %s; %s", worker.name, how, had(worker))
        news = self.unburden(worker, how, counts=not expected)
        del self.roster.workers[address]
        return news

    def unburden(self, worker: Worker, how: str, *, counts: bool) -> list[News]:
        """Take everything from a worker; chunks that it was at have failed, if that counts."""
        news: list[News] = []
        for number in list(worker.orders):
            begun = number in worker.begun
            task = self.release(number)
            if begun and counts:
                news.append(Failed(number, f"{worker.name} {how}"))
            else:
                self.waiting[number] = task
        return news

    def release(self, number: int) -> Task:
        """Take a task from the worker that has it."""
        given = self.given.pop(number)
        if self.engine:
            self.engine.drop(number, given.attempt)
        worker = self.roster.workers.get(given.address)
        if worker:
            del worker.orders[number]
            worker.begun.discard(number)
        return given.task

    def examined(self, event: Examined) -> None:
        """Take in a worker that has said what it is, or leave it out, and say why."""
        worker = self.roster.workers.get(event.address)
        if worker is None:
            return
        worker.facts, worker.refused = event.facts, event.refused
        if event.refused:
            LOG.warning("%s is not used: %s", worker.name, event.refused)
            return
        if event.facts:
            worker.has = set(event.facts.there)
        if worker.aside:
            worker.aside = False
            LOG.warning("%s answers again", worker.name)
        told = ((one.entry, one.programs) for one in self.envoys)
        for what in self.roster.restrict(worker, told):
            LOG.warning("%s does not play %s", worker.name, what)
        cores = "1 core" if worker.cores == 1 else f"{worker.cores} cores"
        LOG.info("%s plays on %s", worker.name, cores)
        self.lonely = False

    def heard(self, said: Said) -> Iterable[News]:
        """Take what a worker says about a task."""
        given = self.given.get(said.number)
        if given is None or given.attempt != said.attempt:
            return ()
        worker = self.roster.workers[given.address]
        worker.heard = time.monotonic()
        worker.begun.add(said.number)
        for logged in said.logged:
            relay(logged, worker.name)
        return (Ticked(said.number, said.games),)

    def returned(self, event: Returned) -> Iterable[News]:
        """Take what came of a task."""
        given = self.given.get(event.number)
        if given is None or given.attempt != event.attempt:
            return ()
        worker = self.roster.workers[given.address]
        worker.heard = time.monotonic()
        task = self.release(event.number)
        match event.outcome:
            case Played(blocks=packed, seconds=seconds):
                self.shunned.pop(event.number, None)
                self.roster.learn(seconds)
                blocks = msgspec.msgpack.decode(packed, type=list[Block])
                return (Done(event.number, blocks, seconds),)
            case Lacking(digests=digests):
                worker.has.difference_update(digests)
                self.waiting[event.number] = task
            case Unfit(text=text, digest=bot):
                self.restrict(worker, text, bot)
                self.waiting[event.number] = task
            case Failed() | Broken():
                self.shunned.setdefault(event.number, set()).add(worker.address)
                return (event.outcome,)
            case None:
                return (Failed(event.number, f"{worker.name} was told by others to drop it"),)
        return ()

    def restrict(self, worker: Worker, text: str, bot: str) -> None:
        """Give a worker no more of what it cannot play."""
        if bot:
            worker.unfit[bot] = text
            name = next(one.entry.name for one in self.envoys if one.entry.digest == bot)
            LOG.warning("%s does not play %s: %s", worker.name, name, text)
        else:
            worker.refused = text
            LOG.warning("%s is not used: %s", worker.name, text)

    def place(self) -> None:
        """Give tasks that wait to workers that can play them, in their order."""
        room = self.roster.free() if self.waiting else 0
        for number in sorted(self.waiting):
            if self.engine is None or not room:
                return
            task = self.waiting[number]
            envoys = [self.envoys[bot] for bot in task.chunk.table]
            shunned = self.shunned.get(number, ())
            worker = self.roster.choose([one.entry.digest for one in envoys], shunned)
            if worker is None:
                continue
            room -= 1
            del self.waiting[number]
            self.hopeless.pop(number, None)
            self.engine.submit(self.order(task, envoys, worker), worker.address)

    def level(self) -> None:
        """Let those who have nothing to do take over what others have not begun."""
        if self.waiting:
            return
        ready = self.roster.ready
        idle = [one for one in ready if one.free]
        busy = [one for one in ready if len(one.orders) > one.cores] if idle else []
        queued = sorted(number for one in busy for number in one.orders.keys() - one.begun)
        for number in queued:
            if not any(one.free for one in idle):
                return
            given = self.given[number]
            envoys = [self.envoys[bot] for bot in given.task.chunk.table]
            digests = [one.entry.digest for one in envoys]
            had = self.roster.workers[given.address]
            taker = next((one for one in idle if one.free and one.plays(digests)), None)
            if taker and len(had.orders) > had.cores and self.roster.spare() and self.engine:
                self.release(number)
                self.engine.submit(self.order(given.task, envoys, taker), taker.address)

    def order(self, task: Task, envoys: Sequence[Envoy], worker: Worker) -> Order:
        """The order for a worker, with the bundles of bots that it may not have."""
        given = Given(task, worker.address, next(self.attempts))
        self.given[task.number] = given
        worker.orders[task.number] = time.monotonic()
        fresh = [one for one in envoys if one.entry.digest not in worker.has]
        worker.has.update(one.entry.digest for one in fresh)
        chunk = replace(task.chunk, table=tuple(range(len(envoys))))
        return Order(
            task=replace(task, chunk=chunk),
            attempt=given.attempt,
            entries=tuple(one.entry for one in envoys),
            terms=self.terms,
            variants=self.variants,
            network=self.network,
            bundles={one.entry.digest: self.bundle(one) for one in fresh},
        )

    def bundle(self, one: Envoy) -> bytes:
        """A bot as it travels."""
        if one.entry.digest not in self.bundles:
            self.bundles[one.entry.digest] = pack(one.place, one.ignored)
        return self.bundles[one.entry.digest]

    def listen_for_silence(self) -> list[News]:
        """Put workers aside that have not said a word for too long, until they do."""
        news: list[News] = []
        for worker in self.roster.workers.values():
            if worker.silent(time.monotonic()) > self.silence:
                how = f"said nothing for {self.silence:.0f} s"
                LOG.warning("%s %s; %s", worker.name, how, had(worker))
                worker.aside = True
                news += self.unburden(worker, how, counts=True)
                self.examine(worker.address)
        return news

    def excuse(self) -> None:
        """Begin to count anew what workers owe, as it was us who did not listen for long."""
        for worker in self.roster.workers.values():
            worker.heard = time.monotonic()

    def give_up_hope(self) -> list[News]:
        """Let go of tasks that nobody who is there can play, and nobody came who could."""
        news: list[News] = []
        for number, task in list(self.waiting.items()):
            why = self.roster.reasons(self.envoys[bot].entry for bot in task.chunk.table)
            if not why:
                self.hopeless.pop(number, None)
            elif time.monotonic() - self.hopeless.setdefault(number, time.monotonic()) > self.hope:
                del self.waiting[number], self.hopeless[number]
                news.append(Failed(number, f"nobody can play it: {why}", hopeless=True))
        return news

    def say_if_alone(self) -> None:
        """Say once that there is nobody to play, for as long as it is so."""
        if self.engine and not self.roster.ready and not self.lonely:
            self.lonely = True
            LOG.warning(
                "no worker at %s can play; start one with 'dask worker %s', or wait",
                self.at.place,
                self.at.place,
            )

    def lost(self) -> None:
        """Wait for a scheduler that is gone; all that was given is given again then."""
        LOG.warning(
            "the scheduler at %s is gone; what is kept is safe, and the rest waits for it",
            self.at.place,
        )
        self.generation += 1
        broken, self.engine = self.engine, None
        if broken:
            broken.abandon()
        self.waiting.update((number, given.task) for number, given in self.given.items())
        self.given.clear()
        self.roster.workers.clear()
        threading.Thread(target=partial(self.reach, self.generation), daemon=True).start()

    def reach(self, generation: int) -> None:
        """Try to reach the scheduler until it answers."""
        post = self.post(generation)
        while not self.closed.wait(AGAIN):
            try:
                engine = Engine(self.at, post)
            except NoScheduler:
                continue
            if self.closed.is_set():
                engine.close()
            else:
                post(Back(engine))
            return

    def close(self) -> None:
        """Let go of all workers; what they are at is dropped."""
        self.closed.set()
        if self.engine:
            self.engine.close()


def had(worker: Worker) -> str:
    """What is done about the tasks of a worker that is gone."""
    many = len(worker.orders)
    chunks = "1 chunk is" if many == 1 else f"{many} chunks are"
    return f"{chunks} played elsewhere" if many else "it had nothing to play"


def relay(logged: Logged, process: str) -> None:
    """Treat what a worker has logged as if it had been logged here."""
    record = logging.LogRecord(logged.name, logged.level, "", 0, logged.text, None, None)
    record.created = logged.created
    record.msecs = logged.created % 1 * 1000
    record.processName = process
    logging.getLogger(logged.name).handle(record)
