"""Runs orders on a worker: prepares the bots, plays the chunk and reports progress."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from typing import Final

import msgspec

from arena.bots.bot import Bot
from arena.bots.build import BuildSettings
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.sandbox import create_sandbox
from arena.cluster.bot_cache import BotCache, BotNotCached
from arena.cluster.messages import (
    BotsMissing,
    LogMessage,
    Outcome,
    PlayedTask,
    PlayOrder,
    StoppedByFault,
    TaskNotPlayed,
    TaskProgress,
    WorkerUnfit,
)
from arena.cluster.worker_process import IsWanted, PlayRequest, WorkerProcess
from arena.conformance.check import find_startup_problem
from arena.errors import ArenaError, BadBot
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import GamesFinished, StrictFault, TaskFailure, TaskResult

REPORT_INTERVAL: Final = 2.0
"""Seconds between two progress reports about a task."""
IDLE_TIMEOUT: Final = 60.0
"""Seconds after which an idle process is ended."""

SendProgress = Callable[[TaskProgress], None]


class OrderReporter:
    """Reports the progress of an order at intervals, also while its bots are built."""

    def __init__(self, order: PlayOrder, send: SendProgress) -> None:
        self.order = order
        self.send = send
        self.games = 0
        self.log_messages: list[LogMessage] = []
        self.last_sent = 0.0
        self.preparation_over = threading.Event()

    @contextmanager
    def keep_reporting(self) -> Iterator[None]:
        """Report repeatedly while bots are built, which may take minutes."""
        thread = threading.Thread(target=self.report_repeatedly, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.preparation_over.set()
            thread.join()

    def report_repeatedly(self) -> None:
        """Report until the preparation is over."""
        self.report()
        while not self.preparation_over.wait(REPORT_INTERVAL):
            self.report()

    def handle_event(self, news: GamesFinished | LogMessage) -> None:
        """Take what the process reports, and pass it on when the next report is due."""
        if isinstance(news, GamesFinished):
            self.games = news.games
        else:
            self.log_messages.append(news)
        if time.monotonic() - self.last_sent >= REPORT_INTERVAL:
            self.report()

    def report(self) -> None:
        """Send a progress report with the log lines since the last one."""
        self.last_sent = time.monotonic()
        messages, self.log_messages = tuple(self.log_messages), []
        self.send(TaskProgress(self.order.task.number, self.order.attempt, self.games, messages))


class OrderRunner:
    """Runs orders on a worker, with one process for each order that runs at the same time."""

    def __init__(self, bot_cache: BotCache | None = None) -> None:
        self.bot_cache = bot_cache
        self.ready_checks: set[tuple[Bot, tuple[str, ...], RefereeConfig]] = set()
        """Bots that became ready here, with the variants and the settings."""
        self.idle_processes: list[tuple[float, WorkerProcess]] = []
        self.timer: threading.Timer | None = None
        self.lock = threading.Lock()

    def run(self, order: PlayOrder, send: SendProgress, is_wanted: IsWanted) -> Outcome:
        """Carry out an order; return its outcome."""
        reporter = OrderReporter(order, send)
        try:
            with ExitStack() as stack:
                with reporter.keep_reporting():
                    config = replace(order.config, sandbox=local_sandbox(order.config.sandbox))
                    bots = self.prepare_bots(order, config, stack)
                if not isinstance(bots, list):
                    return bots
                if not order.task.chunk.blocks:
                    return PlayedTask(msgspec.msgpack.encode([]), 0.0)
                return self.play(PlayRequest(order.task, bots, config), reporter, is_wanted)
        except (SandboxUnavailable, OSError) as error:  # nothing can be played here
            return WorkerUnfit(str(error))
        except ArenaError as error:
            return TaskNotPlayed(str(error))
        finally:
            if reporter.log_messages:
                reporter.report()

    def prepare_bots(
        self, order: PlayOrder, config: RefereeConfig, stack: ExitStack
    ) -> list[Bot] | BotsMissing | WorkerUnfit:
        """Unpack, build and check the bots of an order; they stay cached until the stack closes."""
        settings = BuildSettings(config.sandbox, order.network)
        bots: list[Bot] = []
        lacking = []
        try:
            cache = self.bot_cache = self.bot_cache or BotCache()
        except BadBot as error:  # there is no home, and so no folder for bots
            return WorkerUnfit(str(error))
        for entry in order.entries:
            try:
                bots.append(stack.enter_context(cache.hold_bot(entry, settings, order.bundles)))
            except BotNotCached as missing:
                lacking.append(missing.digest)
            except BadBot as error:
                return WorkerUnfit(str(error), entry.digest)
        if lacking:
            return BotsMissing(tuple(lacking))
        for entry, bot in zip(order.entries, bots, strict=True):
            if why := self.find_ready_error(bot, order.variants, config):
                return WorkerUnfit(why, entry.digest)
        return bots

    def find_ready_error(self, bot: Bot, variants: tuple[str, ...], config: RefereeConfig) -> str:
        """Why a bot does not become ready here; empty if it does. Checked once for each bot.

        A problem of the machine is thus not charged to the bot.
        """
        checked = (bot, variants, config)
        if checked in self.ready_checks:
            return ""
        # Twice, since the machine may have been busy.
        why = find_startup_problem(bot, variants, config) and find_startup_problem(
            bot, variants, config
        )
        if not why:
            self.ready_checks.add(checked)
        return why

    def play(self, request: PlayRequest, reporter: OrderReporter, is_wanted: IsWanted) -> Outcome:
        """Play a chunk whose bots are ready; return its outcome."""
        started = time.monotonic()
        with self.borrow_process() as process:
            news = process.play(request, reporter.handle_event, is_wanted)
        match news:
            case TaskResult(blocks=blocks):
                return PlayedTask(msgspec.msgpack.encode(blocks), time.monotonic() - started)
            case StrictFault(fault=fault, record=record):
                return StoppedByFault(fault, record)
            case TaskFailure(text=text, killed_bot=killed):
                return TaskNotPlayed(text, killed)
        raise AssertionError(news)  # a process returns nothing else

    @contextmanager
    def borrow_process(self) -> Iterator[WorkerProcess]:
        """Take an idle process or start one; keep it for later orders if it is still alive."""
        with self.lock:
            process = self.idle_processes.pop()[1] if self.idle_processes else None
        if process is None or not process.is_alive:
            process = WorkerProcess()
        try:
            yield process
        except BaseException:
            process.close()
            raise
        if process.is_alive:
            with self.lock:
                self.idle_processes.append((time.monotonic(), process))
                if self.timer is None:
                    self.start_idle_timer()

    def start_idle_timer(self) -> None:
        """Check later whether processes have been idle for long."""
        self.timer = threading.Timer(IDLE_TIMEOUT, self.end_idle_processes)
        self.timer.daemon = True
        self.timer.start()

    def end_idle_processes(self) -> None:
        """End the processes that have been idle for long."""
        now = time.monotonic()
        with self.lock:
            expired = [
                process for since, process in self.idle_processes if now - since >= IDLE_TIMEOUT
            ]
            self.idle_processes = [
                (since, one) for since, one in self.idle_processes if now - since < IDLE_TIMEOUT
            ]
            self.timer = None
            if self.idle_processes:
                self.start_idle_timer()
        for process in expired:
            process.close()


local_sandbox = cache(create_sandbox)
"""Creates the requested sandbox on this machine, once for all orders."""
