"""A cluster as a backend: chunks are played by workers that come and go, on many machines."""

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from arena.bots.bot import Bot
from arena.cluster.engine import Engine
from arena.cluster.envoys import envoy
from arena.cluster.events import Census, Event, Examined, Heard, Left, Lost, Returned
from arena.cluster.ledger import Ledger
from arena.cluster.line import Back, Line
from arena.cluster.messages import (
    Lacking,
    Logged,
    Needs,
    NotPlayed,
    Played,
    StoppedByFault,
    Unfit,
    Unreadable,
)
from arena.cluster.result_checks import FAILURES, ResultChecks, find_stop_error
from arena.cluster.roster import Roster, Worker
from arena.errors import ArenaError, BadBot
from arena.match.terms import Terms
from arena.printable import short
from arena.ratings.cell import Cell
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
GREETINGS: Final = 10
"""So often in all it is excused that a bot could not be asked anything."""
LACKS: Final = 2
"""How often a worker may say that it lacks the bots of a task."""
LONGEST_LINE: Final = 2000
"""Characters of a line that a worker logs."""
OLDEST: Final = 86_400.0
"""Seconds that a worker's clock may be wrong; what it logs is dated by our own otherwise."""


def greeting(number: int) -> Task:
    """A task in which nothing is played: a bot is only asked whether it is ready."""
    return Task(number, Chunk(Cell("", 1), (-1 - number,), ()))


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
        self.line = Line(at)
        self.needs: Needs | None = None
        """None until it is known who plays."""
        self.silence = silence
        self.hope = hope
        self.roster = Roster(most)
        self.terms = replace(terms, sandbox=terms.sandbox.asked)
        self.ledger = Ledger(self.line, self.roster, self.terms, network=network)
        self.checks = ResultChecks(at.replay)
        self.hopeless: dict[int, float] = {}
        """Since when nobody can play a task."""
        self.awake = time.monotonic()
        """When we listened last."""
        self.counted = False
        """Whether it is known who is there."""
        self.lonely = False
        """Whether it was said that there is nobody to play."""

    def __enter__(self) -> Self:
        self.line.open()
        until = time.monotonic() + ANSWER
        while not self.counted and (left := until - time.monotonic()) > 0:
            for event in self.line.events(left):
                self.take(event)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def muster(self, bots: Iterable[tuple[Bot, Path]]) -> dict[str, str]:
        """Wait for what the workers that are there say they are; whom none can play, and why."""
        self.ledger.envoys = envoys = [envoy(bot, place) for bot, place in bots]
        programs = {name for one in envoys for name in one.programs}
        digests = tuple(one.entry.digest for one in envoys)
        self.needs = Needs(tuple(sorted(programs)), self.terms.sandbox.level, digests)
        for address in self.roster.workers:
            self.examine(address)
        until = time.monotonic() + ANSWER
        while (left := until - time.monotonic()) > 0:
            workers = self.roster.workers.values()
            if all(one.facts is not None or one.refused for one in workers):
                break
            for event in self.line.events(left):
                self.take(event)
        refused = [one.refused for one in self.roster.workers.values() if one.refused]
        if refused and not self.roster.ready:
            whose = "the worker" if len(refused) == 1 else f"none of the {len(refused)} workers"
            verb = "cannot" if len(refused) == 1 else "can"
            raise ArenaError(f"{whose} at {self.at.place} {verb} be used: {refused[0]}")
        reasons = {one.entry.name: self.roster.reasons([one.entry]) for one in envoys}
        return {
            name: f"nobody at {self.at.place} can play it: {why}"
            for name, why in reasons.items()
            if why
        }

    def greet(self, variants: tuple[str, ...]) -> None:
        """Refuse bots that do not start anywhere, or do not play what is to be played."""
        self.ledger.variants = variants
        tries = 0
        missing = {-1 - bot for bot in range(len(self.ledger.envoys))}
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
                if why := self.roster.reasons([self.ledger.envoys[-1 - number].entry]):
                    raise BadBot(f"nobody at {self.at.place} can play it: {why}")

    @property
    def engine(self) -> Engine | None:
        """The connection to the scheduler; None while that is gone."""
        return self.line.engine

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
        return self.ledger.room()

    def give(self, task: Task) -> None:
        """Let a worker play a task, now or as soon as one can."""
        self.ledger.waiting[task.number] = task
        self.ledger.place()

    def recall(self) -> list[int]:
        """Take back what nobody has begun."""
        return self.ledger.recall()

    def wait(self, seconds: float) -> list[News]:
        """What has happened, as soon as something has, or nothing after so many seconds."""
        if time.monotonic() - self.awake > self.silence / 3:
            self.excuse()
        news: list[News] = []
        for event in self.line.events(seconds):
            news += self.take(event)
        news += [*self.listen_for_silence(), *self.give_up_hope()]
        self.awake = time.monotonic()
        self.ledger.place()
        self.ledger.level()
        self.say_if_alone()
        return news

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
                return self.heard(event)
            case Returned():
                return self.returned(event)
            case Lost():
                self.lost()
            case Back():
                LOG.warning("the scheduler at %s answers again", self.at.place)
        return ()

    def census(self, census: Census) -> Iterable[News]:
        """Ask those who are new what they are, and miss those who are gone."""
        self.counted = True
        for address, machine in census.machines.items():
            if address not in self.roster.workers:
                known = self.checks.histories[address]
                worker = Worker(address, machine.name, machine.threads, refused=known.excluded)
                self.roster.workers[address] = worker
            worker = self.roster.workers[address]
            if not worker.ready and not worker.refused:  # it is new, or has not answered yet
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
        news = self.ledger.unburden(worker, how, counts=not expected)
        del self.roster.workers[address]
        return news

    def examined(self, event: Examined) -> None:
        """Take in a worker that has said what it is, or leave it out, and say why."""
        worker = self.roster.workers.get(event.address)
        if worker is None:
            return
        excluded = self.checks.histories[event.address].excluded
        worker.facts, worker.refused = event.facts, excluded or short(event.refused, LONGEST_LINE)
        if worker.refused:
            LOG.warning("%s is not used: %s", worker.name, worker.refused)
            return
        if event.facts:
            worker.has = set(event.facts.there)
        if worker.aside:
            worker.aside = False
            LOG.warning("%s answers again", worker.name)
        told = ((one.entry, one.programs) for one in self.ledger.envoys)
        for what in worker.restrict(told):
            LOG.warning("%s does not play %s", worker.name, what)
        cores = "1 core" if worker.cores == 1 else f"{worker.cores} cores"
        LOG.info("%s plays on %s", worker.name, cores)
        self.lonely = False

    def heard(self, event: Heard) -> Iterable[News]:
        """Take what a worker says about a task that it has."""
        said = event.said
        worker = self.ledger.holder(said.number, said.attempt)
        if worker is None or worker.address != event.address:
            return ()
        worker.heard = time.monotonic()
        worker.begun.add(said.number)
        for logged in said.logged:
            if worker.may_log(worker.heard):
                relay(logged, worker.name)
        blocks = self.ledger.given[said.number].task.chunk.blocks
        games = sum(len(block.seatings) for block in blocks)
        return (Ticked(said.number, min(max(said.games, 0), games)),)

    def returned(self, event: Returned) -> Iterable[News]:
        """Take what came of a task; what a worker says is checked before it counts."""
        worker = self.ledger.holder(event.number, event.attempt)
        if worker is None:
            return ()
        worker.heard = time.monotonic()
        lasted = worker.heard - worker.orders[event.number]
        task = self.ledger.release(event.number)
        if why := self.objection(worker, task, event.outcome):
            return self.refuse(worker, task, why)
        news: Iterable[News] = ()
        match event.outcome:
            case Played():
                news = self.played(worker, task, event.outcome, lasted)
            case Lacking(digests=digests):
                worker.has.difference_update(digests)
                self.ledger.waiting[task.number] = task
            case Unfit(text=text, digest=bot):
                self.restrict(worker, short(text, LONGEST_LINE), bot)
                self.ledger.waiting[task.number] = task
            case NotPlayed(text=text, killed=killed):
                news = self.fail(worker, Failed(task.number, short(text, LONGEST_LINE), killed))
            case StoppedByFault(fault=fault, record=record):
                news = (Broken(task.number, fault, record),)
            case Failed(text=text):
                news = self.fail(worker, Failed(task.number, f"{worker.name}: {text}"))
            case None:
                news = (Failed(task.number, f"{worker.name} was told by others to drop it"),)
        return news

    def objection(self, worker: Worker, task: Task, outcome: object) -> str:
        """Why a worker cannot mean what it says, without a look at what it has played."""
        match outcome:
            case Unreadable(text=text):
                return text
            case Lacking():
                self.ledger.lacked[task.number, worker.address] += 1
                if self.ledger.lacked[task.number, worker.address] > LACKS:
                    return "it lacks bots that were sent to it"
            case Unfit(digest=bot):
                if bot and bot not in {one.entry.digest for one in self.ledger.table(task)}:
                    return "it cannot play a bot that is not there"
            case NotPlayed(killed=killed):
                if killed not in {None, *(one.name for one in self.ledger.seated(task))}:
                    return "a bot was killed that is not there"
            case StoppedByFault():
                table = self.ledger.seated(task)
                return find_stop_error(task.chunk, table, self.terms.policy, outcome)
        return ""

    def played(self, worker: Worker, task: Task, played: Played, lasted: float) -> Iterable[News]:
        """Take the blocks of a task, if they are what was ordered."""
        table = self.ledger.seated(task)
        blocks = self.checks.accept(worker.address, task.chunk, table, played)
        if isinstance(blocks, Unreadable):
            return self.refuse(worker, task, blocks.text)
        seconds = played.seconds if 0 <= played.seconds <= lasted else lasted
        self.ledger.shunned.pop(task.number, None)
        self.roster.learn(seconds)
        return (Done(task.number, blocks, seconds),)

    def fail(self, worker: Worker, failed: Failed) -> Iterable[News]:
        """Let a task that was not played be played by another worker, if there is one."""
        self.ledger.shunned.setdefault(failed.number, set()).add(worker.address)
        history = self.checks.histories[worker.address]
        history.failures += failed.killed is None
        if worker.ready and history.failures >= FAILURES and len(self.roster.ready) > 1:
            worker.refused = history.excluded = f"it failed {FAILURES} times in a row"
            LOG.error("%s is no longer used, since %s", worker.name, worker.refused)
            self.ledger.unburden(worker, "is no longer used", counts=False)
        return (failed,)

    def refuse(self, worker: Worker, task: Task, why: str) -> Iterable[News]:
        """Drop what a worker returned; one that does it again is no longer used."""
        text = f"{worker.name} returned something else than was ordered: {short(why)}"
        doubted = self.checks.refuse(worker.address, short(why))
        if excluded := self.checks.histories[worker.address].excluded:
            worker.refused = excluded
            LOG.error("%s is no longer used, since %s", worker.name, excluded)
            if doubted:
                LOG.warning("%d blocks that it returned before are replayed", len(doubted))
            self.ledger.unburden(worker, "is no longer used", counts=False)
        return self.fail(worker, Failed(task.number, text, counts=False, doubted=doubted))

    def restrict(self, worker: Worker, text: str, bot: str) -> None:
        """Give a worker no more of what it cannot play."""
        if bot:
            worker.unfit[bot] = text
            name = next(one.entry.name for one in self.ledger.envoys if one.entry.digest == bot)
            LOG.warning("%s does not play %s: %s", worker.name, name, text)
        else:
            worker.refused = text
            LOG.warning("%s is not used: %s", worker.name, text)

    def listen_for_silence(self) -> list[News]:
        """Put workers aside that have not said a word for too long, until they do."""
        news: list[News] = []
        for worker in self.roster.workers.values():
            if worker.silent(time.monotonic()) > self.silence:
                how = f"said nothing for {self.silence:.0f} s"
                LOG.warning("%s %s; %s", worker.name, how, had(worker))
                worker.aside = True
                news += self.ledger.unburden(worker, how, counts=True)
                self.examine(worker.address)
        return news

    def excuse(self) -> None:
        """Begin to count anew what workers owe, as it was us who did not listen for long."""
        for worker in self.roster.workers.values():
            worker.heard = time.monotonic()

    def give_up_hope(self) -> list[News]:
        """Let go of tasks that nobody who is there can play, and nobody came who could."""
        news: list[News] = []
        waiting = self.ledger.waiting
        self.hopeless = {one: since for one, since in self.hopeless.items() if one in waiting}
        for number, task in list(waiting.items()):
            why = self.roster.reasons(one.entry for one in self.ledger.table(task))
            if not why:
                self.hopeless.pop(number, None)
            elif time.monotonic() - self.hopeless.setdefault(number, time.monotonic()) > self.hope:
                del waiting[number]
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
        self.ledger.take_back()
        self.roster.workers.clear()

    def close(self) -> None:
        """Let go of all workers; what they are at is dropped."""
        self.line.close()


def had(worker: Worker) -> str:
    """What is done about the tasks of a worker that is gone."""
    many = len(worker.orders)
    chunks = "1 chunk is" if many == 1 else f"{many} chunks are"
    return f"{chunks} played elsewhere" if many else "it had nothing to play"


def relay(logged: Logged, process: str) -> None:
    """Log what a worker has logged, as no more than a line of this program."""
    level = min(max(logged.level, logging.DEBUG), logging.ERROR)
    text = short(logged.text, LONGEST_LINE)
    record = logging.LogRecord(LOG.name, level, "", 0, text, None, None)
    if abs(logged.created - record.created) < OLDEST:  # else, and for no number, by our clock
        record.created = logged.created
        record.msecs = logged.created % 1 * 1000
    record.processName = process
    if LOG.isEnabledFor(level):
        LOG.handle(record)
