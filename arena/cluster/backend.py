"""Backend that plays chunks on the workers of a Dask scheduler."""

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from arena.bots.bot import Bot
from arena.cluster.assignments import Assignments
from arena.cluster.connection import DurableConnection, SchedulerReconnected
from arena.cluster.dask import DaskConnection
from arena.cluster.messages import (
    BotsMissing,
    ClusterEvent,
    InvalidWorkerReply,
    LogMessage,
    PlayedTask,
    ProgressReport,
    Requirements,
    SchedulerLost,
    StoppedByFault,
    TaskNotPlayed,
    TaskReturned,
    WorkerInfoReply,
    WorkerLeft,
    WorkerList,
    WorkerUnfit,
    ship_bot,
)
from arena.cluster.result_checks import MAX_FAILURES, ResultChecks, find_stop_error
from arena.cluster.workers import ClusterWorker, WorkerPool
from arena.errors import ArenaError, BadBot
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.sanitize import cut_middle
from arena.tournaments.config.scheduler_address import SchedulerAddress
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.play.backend import (
    BackendEvent,
    ChunkTask,
    GamesFinished,
    StrictFault,
    TaskFailure,
    TaskResult,
)

LOG = logging.getLogger(__name__)

SILENCE_TIMEOUT: Final = 90.0
"""Seconds of silence after which a worker is taken to hang, or to be cut off."""
UNPLAYABLE_TIMEOUT: Final = 60.0
"""Seconds to wait for a worker that can play a task that no present worker can."""
ANSWER_TIMEOUT: Final = 30.0
"""Seconds in which present workers have to send their information before a run begins."""
READY_CHECK_TRIES: Final = 10
"""Failures of ready checks in all that are retried."""
MAX_MISSING_REPORTS: Final = 2
"""How often a worker may report that it lacks the bots of a task."""
LONGEST_LINE: Final = 2000
"""Characters of a line from a worker that are logged."""
MAX_CLOCK_ERROR: Final = 86_400.0
"""Seconds that a worker's clock may be wrong; beyond that its lines get our own time."""


def ready_check_task(number: int) -> ChunkTask:
    """A task without blocks, which only checks whether a bot becomes ready."""
    return ChunkTask(number, Chunk(Cell("", 1), (-1 - number,), ()))


class Cluster:
    """Plays chunks on the workers of a Dask scheduler."""

    def __init__(  # noqa: PLR0913 (each can be configured)
        self,
        scheduler: SchedulerAddress,
        config: RefereeConfig,
        *,
        max_cores: int | None = None,
        network: bool = False,
        silence_timeout: float = SILENCE_TIMEOUT,
        unplayable_timeout: float = UNPLAYABLE_TIMEOUT,
    ) -> None:
        self.scheduler = scheduler
        self.connection = DurableConnection(scheduler)
        self.requirements: Requirements | None = None
        """None until the bots are known."""
        self.silence_timeout = silence_timeout
        self.unplayable_timeout = unplayable_timeout
        self.pool = WorkerPool(max_cores)
        self.config = replace(config, sandbox=config.sandbox.request)
        self.assignments = Assignments(self.connection, self.pool, self.config, network=network)
        self.checks = ResultChecks(scheduler.replay_share)
        self.unplayable_since: dict[int, float] = {}
        """Since when no worker can play a task, by its number."""
        self.last_listened = time.monotonic()
        """When `wait` last took events."""
        self.has_worker_list = False
        """Whether the scheduler has listed its workers."""
        self.has_warned_no_worker = False
        """Whether the lack of workers was logged."""

    def __enter__(self) -> Self:
        self.connection.open()
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while not self.has_worker_list and (left := deadline - time.monotonic()) > 0:
            for event in self.connection.events(left):
                self.handle_event(event)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_bots(self, bots: Iterable[tuple[Bot, Path]]) -> dict[str, str]:
        """Wait for the workers' information; return the bots that none can play, and why."""
        self.assignments.bots = shipped = [ship_bot(bot, place) for bot, place in bots]
        programs = {name for one in shipped for name in one.programs}
        digests = tuple(one.entry.digest for one in shipped)
        self.requirements = Requirements(
            tuple(sorted(programs)), self.config.sandbox.level, digests
        )
        for address in self.pool.workers:
            self.request_worker_info(address)
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while (left := deadline - time.monotonic()) > 0:
            workers = self.pool.workers.values()
            if all(one.info is not None or one.refusal for one in workers):
                break
            for event in self.connection.events(left):
                self.handle_event(event)
        refused = [one.refusal for one in self.pool.workers.values() if one.refusal]
        if refused and not self.pool.ready:
            whose = "the worker" if len(refused) == 1 else f"none of the {len(refused)} workers"
            verb = "cannot" if len(refused) == 1 else "can"
            raise ArenaError(f"{whose} at {self.scheduler.location} {verb} be used: {refused[0]}")
        reasons = {one.entry.name: self.pool.unplayable_reason([one.entry]) for one in shipped}
        return {
            name: f"no worker at {self.scheduler.location} can play it: {why}"
            for name, why in reasons.items()
            if why
        }

    def check_ready(self, variants: tuple[str, ...]) -> None:
        """Reject bots that do not become ready on a worker, or do not play all variants."""
        self.assignments.variants = variants
        tries = 0
        missing = {-1 - bot for bot in range(len(self.assignments.bots))}
        for number in missing:
            self.submit(ready_check_task(number))
        while missing:
            for news in self.wait(1.0):
                if isinstance(news, TaskFailure) and (tries := tries + 1) < READY_CHECK_TRIES:
                    LOG.warning("%s; it is checked again", news.text)
                    self.submit(ready_check_task(news.number))
                elif isinstance(news, TaskFailure):
                    raise BadBot(news.text)
                elif not isinstance(news, GamesFinished):
                    missing.discard(news.number)
            for number in missing:
                if why := self.pool.unplayable_reason([self.assignments.bots[-1 - number].entry]):
                    raise BadBot(f"no worker at {self.scheduler.location} can play it: {why}")

    @property
    def dask(self) -> DaskConnection | None:
        """The connection to the scheduler; None while that is gone."""
        return self.connection.dask

    @property
    def cores(self) -> int:
        """How many chunks the present workers can play at once."""
        return self.pool.cores

    def request_worker_info(self, address: str) -> None:
        """Ask a worker for its information, once the requirements are known."""
        if self.dask and self.requirements:
            self.dask.request_worker_info(address, self.requirements)

    def free_slots(self) -> int:
        """How many tasks can be submitted now."""
        return self.assignments.free_slots()

    def submit(self, task: ChunkTask) -> None:
        """Queue a task, and send it as soon as a worker can play it."""
        self.assignments.waiting[task.number] = task
        self.assignments.assign_waiting()

    def cancel_waiting(self) -> list[int]:
        """Withdraw all tasks that no worker has started; return their numbers."""
        return self.assignments.cancel_waiting()

    def wait(self, seconds: float) -> list[BackendEvent]:
        """Wait at most so many seconds for events; return what happened."""
        if time.monotonic() - self.last_listened > self.silence_timeout / 3:
            self.reset_silence()
        news: list[BackendEvent] = []
        for event in self.connection.events(seconds):
            news += self.handle_event(event)
        news += [*self.suspend_silent_workers(), *self.fail_unplayable_tasks()]
        self.last_listened = time.monotonic()
        self.assignments.assign_waiting()
        self.assignments.rebalance()
        self.warn_if_no_worker()
        return news

    def handle_event(self, event: ClusterEvent | SchedulerReconnected) -> Iterable[BackendEvent]:
        """Handle an event; return what the tournament has to know."""
        match event:
            case WorkerList():
                return self.handle_worker_list(event)
            case WorkerLeft():
                return self.handle_worker_left(event.address, expected=event.is_expected)
            case WorkerInfoReply():
                self.handle_worker_info(event)
            case ProgressReport():
                return self.handle_progress(event)
            case TaskReturned():
                return self.handle_task_returned(event)
            case SchedulerLost():
                self.handle_scheduler_lost()
            case SchedulerReconnected():
                LOG.warning("the scheduler at %s answers again", self.scheduler.location)
        return ()

    def handle_worker_list(self, worker_list: WorkerList) -> Iterable[BackendEvent]:
        """Ask new workers for their information, and release the tasks of workers that are gone."""
        self.has_worker_list = True
        for address, machine in worker_list.workers.items():
            if address not in self.pool.workers:
                known = self.checks.histories[address]
                worker = ClusterWorker(
                    address, machine.name, machine.threads, refusal=known.exclusion
                )
                self.pool.workers[address] = worker
            worker = self.pool.workers[address]
            if not worker.is_ready and not worker.refusal:  # it is new, or has not answered
                self.request_worker_info(address)
        missing = [one for one in self.pool.workers if one not in worker_list.workers]
        return [
            news for address in missing for news in self.handle_worker_left(address, expected=False)
        ]

    def handle_worker_left(self, address: str, *, expected: bool) -> Iterable[BackendEvent]:
        """Release the tasks of a worker that is gone; those it had started may count as failed."""
        worker = self.pool.workers.get(address)
        if worker is None:
            return []
        how = "has left" if expected else "is gone"
        LOG.warning("%s %s; %s", worker.name, how, reassignment_text(worker))
        news = self.assignments.release_all(worker, how, counts=not expected)
        del self.pool.workers[address]
        return news

    def handle_worker_info(self, event: WorkerInfoReply) -> None:
        """Use a worker that has sent its information, or log why it is not used."""
        worker = self.pool.workers.get(event.address)
        if worker is None:
            return
        excluded = self.checks.histories[event.address].exclusion
        worker.info, worker.refusal = (
            event.info,
            excluded or cut_middle(event.refusal, LONGEST_LINE),
        )
        if worker.refusal:
            LOG.warning("%s is not used: %s", worker.name, worker.refusal)
            return
        if event.info:
            worker.sent_bots = set(event.info.cached)
        if worker.is_suspended:
            worker.is_suspended = False
            LOG.warning("%s answers again", worker.name)
        needs = ((one.entry, one.programs) for one in self.assignments.bots)
        for problem in worker.find_unplayable_bots(needs):
            LOG.warning("%s does not play %s", worker.name, problem)
        cores = "1 core" if worker.cores == 1 else f"{worker.cores} cores"
        LOG.info("%s plays on %s", worker.name, cores)
        self.has_warned_no_worker = False

    def handle_progress(self, event: ProgressReport) -> Iterable[BackendEvent]:
        """Handle a progress report of a worker about a task that it has."""
        progress = event.progress
        worker = self.assignments.worker_of(progress.number, progress.attempt)
        if worker is None or worker.address != event.address:
            return ()
        worker.last_heard = time.monotonic()
        worker.in_progress.add(progress.number)
        for message in progress.logged:
            if worker.may_log(worker.last_heard):
                relay_log(message, worker.name)
        blocks = self.assignments.active[progress.number].task.chunk.blocks
        games = sum(len(block.seatings) for block in blocks)
        return (GamesFinished(progress.number, min(max(progress.games, 0), games)),)

    def handle_task_returned(self, event: TaskReturned) -> Iterable[BackendEvent]:
        """Handle the outcome of a task, which is checked before it counts."""
        worker = self.assignments.worker_of(event.number, event.attempt)
        if worker is None:
            return ()
        worker.last_heard = time.monotonic()
        elapsed = worker.last_heard - worker.orders[event.number]
        task = self.assignments.release(event.number)
        if why := self.find_objection(worker, task, event.outcome):
            return self.refuse_result(worker, task, why)
        news: Iterable[BackendEvent] = ()
        match event.outcome:
            case PlayedTask():
                news = self.accept_blocks(worker, task, event.outcome, elapsed)
            case BotsMissing(digests=digests):
                worker.sent_bots.difference_update(digests)
                self.assignments.waiting[task.number] = task
            case WorkerUnfit(text=text, digest=bot):
                self.restrict_worker(worker, cut_middle(text, LONGEST_LINE), bot)
                self.assignments.waiting[task.number] = task
            case TaskNotPlayed(text=text, killed=killed):
                news = self.fail_task(
                    worker, TaskFailure(task.number, cut_middle(text, LONGEST_LINE), killed)
                )
            case StoppedByFault(fault=fault, record=record):
                news = (StrictFault(task.number, fault, record),)
            case TaskFailure(text=text):
                news = self.fail_task(worker, TaskFailure(task.number, f"{worker.name}: {text}"))
            case None:
                news = (TaskFailure(task.number, f"Dask cancelled it on {worker.name}"),)
        return news

    def find_objection(self, worker: ClusterWorker, task: ChunkTask, outcome: object) -> str:
        """Why an outcome cannot be true; empty if it can. Blocks are checked elsewhere."""
        match outcome:
            case InvalidWorkerReply(text=text):
                return text
            case BotsMissing():
                self.assignments.missing_reports[task.number, worker.address] += 1
                if (
                    self.assignments.missing_reports[task.number, worker.address]
                    > MAX_MISSING_REPORTS
                ):
                    return "it lacks bots that were sent to it"
            case WorkerUnfit(digest=bot):
                if bot and bot not in {one.entry.digest for one in self.assignments.bots_of(task)}:
                    return "it cannot play a bot that is not there"
            case TaskNotPlayed(killed=killed):
                if killed not in {
                    None,
                    *(one.name for one in self.assignments.recorded_bots(task)),
                }:
                    return "a bot was killed that is not there"
            case StoppedByFault():
                table = self.assignments.recorded_bots(task)
                return find_stop_error(task.chunk, table, self.config.policy, outcome)
        return ""

    def accept_blocks(
        self, worker: ClusterWorker, task: ChunkTask, played: PlayedTask, elapsed: float
    ) -> Iterable[BackendEvent]:
        """Accept the blocks of a task, if they are what was ordered."""
        table = self.assignments.recorded_bots(task)
        blocks = self.checks.accept(worker.address, task.chunk, table, played)
        if isinstance(blocks, InvalidWorkerReply):
            return self.refuse_result(worker, task, blocks.text)
        seconds = played.seconds if 0 <= played.seconds <= elapsed else elapsed
        self.assignments.failed_workers.pop(task.number, None)
        self.pool.add_duration(seconds)
        return (TaskResult(task.number, blocks, seconds),)

    def fail_task(self, worker: ClusterWorker, failed: TaskFailure) -> Iterable[BackendEvent]:
        """Count a failed task; the next try prefers other workers."""
        self.assignments.failed_workers.setdefault(failed.number, set()).add(worker.address)
        history = self.checks.histories[worker.address]
        history.failures += failed.killed_bot is None
        if worker.is_ready and history.failures >= MAX_FAILURES and len(self.pool.ready) > 1:
            worker.refusal = history.exclusion = f"it failed {MAX_FAILURES} times in a row"
            LOG.error("%s is no longer used, since %s", worker.name, worker.refusal)
            self.assignments.release_all(worker, "is no longer used", counts=False)
        return (failed,)

    def refuse_result(
        self, worker: ClusterWorker, task: ChunkTask, why: str
    ) -> Iterable[BackendEvent]:
        """Reject the outcome of a worker; after a second one it is no longer used."""
        text = f"{worker.name} returned something else than was ordered: {cut_middle(why)}"
        doubted = self.checks.count_refusal(worker.address, cut_middle(why))
        if excluded := self.checks.histories[worker.address].exclusion:
            worker.refusal = excluded
            LOG.error("%s is no longer used, since %s", worker.name, excluded)
            if doubted:
                LOG.warning("%d blocks that it returned before are replayed", len(doubted))
            self.assignments.release_all(worker, "is no longer used", counts=False)
        return self.fail_task(
            worker, TaskFailure(task.number, text, counts_as_try=False, suspect_blocks=doubted)
        )

    def restrict_worker(self, worker: ClusterWorker, text: str, digest: str) -> None:
        """Give a worker no more tasks that it cannot play."""
        if digest:
            worker.unplayable_bots[digest] = text
            name = next(
                one.entry.name for one in self.assignments.bots if one.entry.digest == digest
            )
            LOG.warning("%s does not play %s: %s", worker.name, name, text)
        else:
            worker.refusal = text
            LOG.warning("%s is not used: %s", worker.name, text)

    def suspend_silent_workers(self) -> list[BackendEvent]:
        """Suspend workers that were silent for too long, until they answer."""
        news: list[BackendEvent] = []
        for worker in self.pool.workers.values():
            if worker.silent_seconds(time.monotonic()) > self.silence_timeout:
                how = f"sent nothing for {self.silence_timeout:.0f} s"
                LOG.warning("%s %s; %s", worker.name, how, reassignment_text(worker))
                worker.is_suspended = True
                news += self.assignments.release_all(worker, how, counts=True)
                self.request_worker_info(worker.address)
        return news

    def reset_silence(self) -> None:
        """Forget how long workers were silent, since we did not listen for long."""
        for worker in self.pool.workers.values():
            worker.last_heard = time.monotonic()

    def fail_unplayable_tasks(self) -> list[BackendEvent]:
        """Give up tasks that no worker can play, if no other worker came in time."""
        news: list[BackendEvent] = []
        waiting = self.assignments.waiting
        self.unplayable_since = {
            one: since for one, since in self.unplayable_since.items() if one in waiting
        }
        for number, task in list(waiting.items()):
            why = self.pool.unplayable_reason(one.entry for one in self.assignments.bots_of(task))
            if not why:
                self.unplayable_since.pop(number, None)
            elif (
                time.monotonic() - self.unplayable_since.setdefault(number, time.monotonic())
                > self.unplayable_timeout
            ):
                del waiting[number]
                news.append(TaskFailure(number, f"no worker can play it: {why}", is_hopeless=True))
        return news

    def warn_if_no_worker(self) -> None:
        """Log once that there is no ready worker, until there is one again."""
        if self.dask and not self.pool.ready and not self.has_warned_no_worker:
            self.has_warned_no_worker = True
            LOG.warning(
                "no worker at %s can play; start one with 'dask worker %s', or wait",
                self.scheduler.location,
                self.scheduler.location,
            )

    def handle_scheduler_lost(self) -> None:
        """Queue all tasks again, to be sent when the scheduler is back."""
        LOG.warning(
            "the scheduler at %s is gone; finished blocks are stored, and the others wait for it",
            self.scheduler.location,
        )
        self.assignments.requeue_all()
        self.pool.workers.clear()

    def close(self) -> None:
        """Disconnect; tasks that workers have started are dropped."""
        self.connection.close()


def reassignment_text(worker: ClusterWorker) -> str:
    """What happens to the tasks of a worker that is gone, for the log."""
    many = len(worker.orders)
    chunks = "1 chunk is" if many == 1 else f"{many} chunks are"
    return f"{chunks} played elsewhere" if many else "it had nothing to play"


def relay_log(message: LogMessage, process: str) -> None:
    """Log a line of a worker, with bounds on its level, length and date."""
    level = min(max(message.level, logging.DEBUG), logging.ERROR)
    text = cut_middle(message.text, LONGEST_LINE)
    record = logging.LogRecord(LOG.name, level, "", 0, text, None, None)
    if abs(message.created - record.created) < MAX_CLOCK_ERROR:  # false for NaN too
        record.created = message.created
        record.msecs = message.created % 1 * 1000
    record.processName = process
    if LOG.isEnabledFor(level):
        LOG.handle(record)
