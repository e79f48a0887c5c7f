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
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.cluster.bot_cache import BotCache, BotNotCached
from arena.cluster.messages import (
    Lacking,
    LogMessage,
    NotPlayed,
    Outcome,
    PlayedTask,
    PlayOrder,
    StoppedByFault,
    TaskProgress,
    Unfit,
)
from arena.cluster.worker_process import IsWanted, PlayRequest, WorkerProcess
from arena.conformance.check import find_startup_problem
from arena.errors import ArenaError, BadBot
from arena.referee.config import RefereeConfig
from arena.tournaments.play.backend import GamesFinished, StrictFault, TaskFailure, TaskResult

REPORT_INTERVAL: Final = 2.0
"""Seconds between two words about a task."""
IDLE_TIMEOUT: Final = 60.0
"""Seconds after which a player that has nothing to do is sent home."""

SendProgress = Callable[[TaskProgress], None]


class OrderReporter:
    """Tells how far an order is, now and then, and at least that somebody is at it."""

    def __init__(self, order: PlayOrder, send: SendProgress) -> None:
        self.order = order
        self.send = send
        self.games = 0
        self.log_messages: list[LogMessage] = []
        self.last_sent = 0.0
        self.preparation_over = threading.Event()

    @contextmanager
    def keep_reporting(self) -> Iterator[None]:
        """Tell it while bots are built, which may take minutes."""
        thread = threading.Thread(target=self.report_repeatedly, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.preparation_over.set()
            thread.join()

    def report_repeatedly(self) -> None:
        """Tell it again and again."""
        self.report()
        while not self.preparation_over.wait(REPORT_INTERVAL):
            self.report()

    def handle_event(self, news: GamesFinished | LogMessage) -> None:
        """Take what a player says, and pass it on when it is time."""
        if isinstance(news, GamesFinished):
            self.games = news.games
        else:
            self.log_messages.append(news)
        if time.monotonic() - self.last_sent >= REPORT_INTERVAL:
            self.report()

    def report(self) -> None:
        """Say how far it is."""
        self.last_sent = time.monotonic()
        logged, self.log_messages = tuple(self.log_messages), []
        self.send(TaskProgress(self.order.task.number, self.order.attempt, self.games, logged))


class OrderRunner:
    """Bots on a shelf, and players for as many orders as come at once."""

    def __init__(self, bot_cache: BotCache | None = None) -> None:
        self.bot_cache = bot_cache
        self.ready_checks: set[tuple[Bot, tuple[str, ...], RefereeConfig]] = set()
        """Bots that have got ready here, for which variants, and on which terms."""
        self.idle_processes: list[tuple[float, WorkerProcess]] = []
        self.timer: threading.Timer | None = None
        self.lock = threading.Lock()

    def run(self, order: PlayOrder, send: SendProgress, is_wanted: IsWanted) -> Outcome:
        """Carry out an order."""
        reporter = OrderReporter(order, send)
        try:
            with ExitStack() as stack:
                with reporter.keep_reporting():
                    terms = replace(order.config, sandbox=local_sandbox(order.config.sandbox))
                    bots = self.prepare_bots(order, terms, stack)
                if not isinstance(bots, list):
                    return bots
                if not order.task.chunk.blocks:
                    return PlayedTask(msgspec.msgpack.encode([]), 0.0)
                return self.play(PlayRequest(order.task, bots, terms), reporter, is_wanted)
        except (SandboxUnavailable, OSError) as error:  # nothing can be played here
            return Unfit(str(error))
        except ArenaError as error:
            return NotPlayed(str(error))
        finally:
            if reporter.log_messages:
                reporter.report()

    def prepare_bots(
        self, order: PlayOrder, config: RefereeConfig, stack: ExitStack
    ) -> list[Bot] | Lacking | Unfit:
        """The bots of an order, ready to be launched as long as the stack holds them."""
        workshop = BuildSettings(config.sandbox, order.network)
        bots: list[Bot] = []
        lacking = []
        try:
            shelf = self.bot_cache = self.bot_cache or BotCache()
        except BadBot as error:  # there is no home, and so no place for bots
            return Unfit(str(error))
        for entry in order.entries:
            try:
                bots.append(stack.enter_context(shelf.hold_bot(entry, workshop, order.bundles)))
            except BotNotCached as missing:
                lacking.append(missing.digest)
            except BadBot as error:
                return Unfit(str(error), entry.digest)
        if lacking:
            return Lacking(tuple(lacking))
        for entry, bot in zip(order.entries, bots, strict=True):
            if why := self.find_ready_error(bot, order.variants, config):
                return Unfit(why, entry.digest)
        return bots

    def find_ready_error(self, bot: Bot, variants: tuple[str, ...], config: RefereeConfig) -> str:
        """Why a bot does not get ready here; no bot is to pay for what a machine lacks."""
        asked = (bot, variants, config)
        if asked in self.ready_checks:
            return ""
        why = find_startup_problem(bot, variants, config) and find_startup_problem(
            bot, variants, config
        )  # it may have been busy
        if not why:
            self.ready_checks.add(asked)
        return why

    def play(self, request: PlayRequest, reporter: OrderReporter, is_wanted: IsWanted) -> Outcome:
        """What comes of a chunk whose bots are there."""
        begun = time.monotonic()
        with self.borrow_process() as player:
            news = player.play(request, reporter.handle_event, is_wanted)
        match news:
            case TaskResult(blocks=blocks):
                return PlayedTask(msgspec.msgpack.encode(blocks), time.monotonic() - begun)
            case StrictFault(fault=fault, record=record):
                return StoppedByFault(fault, record)
            case TaskFailure(text=text, killed_bot=killed):
                return NotPlayed(text, killed)
        raise AssertionError(news)  # a player does not end with anything else

    @contextmanager
    def borrow_process(self) -> Iterator[WorkerProcess]:
        """A player that nobody else uses; one that is still good serves again."""
        with self.lock:
            player = self.idle_processes.pop()[1] if self.idle_processes else None
        if player is None or not player.is_alive:
            player = WorkerProcess()
        try:
            yield player
        except BaseException:
            player.close()
            raise
        if player.is_alive:
            with self.lock:
                self.idle_processes.append((time.monotonic(), player))
                if self.timer is None:
                    self.start_idle_timer()

    def start_idle_timer(self) -> None:
        """Look after a while whether players have had nothing to do."""
        self.timer = threading.Timer(IDLE_TIMEOUT, self.end_idle_processes)
        self.timer.daemon = True
        self.timer.start()

    def end_idle_processes(self) -> None:
        """End the players that have had nothing to do for long."""
        now = time.monotonic()
        with self.lock:
            tired = [player for since, player in self.idle_processes if now - since >= IDLE_TIMEOUT]
            self.idle_processes = [
                (since, one) for since, one in self.idle_processes if now - since < IDLE_TIMEOUT
            ]
            self.timer = None
            if self.idle_processes:
                self.start_idle_timer()
        for player in tired:
            player.close()


@cache
def local_sandbox(requested: Sandbox) -> Sandbox:
    """The walls that were asked for, made here; never weaker ones."""
    return select_sandbox(
        requested.level,
        requested.limits,
        stops_idle_bots=requested.stops_idle_bots,
        system=requested.system,
    )
