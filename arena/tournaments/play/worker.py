"""Play chunks, and the worker process that receives them and reports progress to its parent."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from logging.handlers import QueueHandler
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, Self, cast

import msgspec

from arena.bots.bootstrap import pin_to_core
from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.errors import ArenaError, BotKilled
from arena.games.base import Game
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal, Seating
from arena.referee.record import GameStopped
from arena.referee.referee import FinishedGame, Referee
from arena.store.block import GameResult, PlayedBlock, StoredGame, game_result, pack_games
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.play.backend import (
    BackendEvent,
    ChunkTask,
    GamesFinished,
    StrictFault,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.logging_setup import LogPipe
from arena.tournaments.play.signals import STOP_SIGNALS

LOG = logging.getLogger(__name__)

PROGRESS_INTERVAL = 0.5
"""Seconds between two reports while games end."""
HEARTBEAT_INTERVAL = 5.0
"""Seconds between two reports while no game ends but the referee works."""


@dataclass(frozen=True)
class SeatedDeals:
    """One table, one variant, some deals, and the seating of each deal in each turn."""

    game: Game[Any]
    bots: Sequence[Bot]
    deals: Sequence[Deal]
    turns: Sequence[Sequence[Seating]]
    """For each turn, in which every deal is played once, the seating of each deal."""


def play_deals(
    seated_deals: SeatedDeals, launcher: Launcher, config: RefereeConfig
) -> Iterator[tuple[int, int, FinishedGame]]:
    """Play every deal once in every turn; yield the turn, the deal's index and the game.

    Every turn has its own processes, so that none meets the same deal twice; the seats of its bots
    may differ from deal to deal.
    """
    for turn, seatings in enumerate(seated_deals.turns):
        referee = Referee(seated_deals.game, seated_deals.bots, launcher, config)
        deals = [msgspec.structs.replace(deal, turn=turn) for deal in seated_deals.deals]
        for played in referee.play(deals, seatings):
            yield turn, played.number - 1, played


GameCallback = Callable[[], None]
"""Is called after every game."""


def play_chunk(
    chunk: Chunk,
    bots: Sequence[Bot],
    launcher: Launcher,
    config: RefereeConfig,
    on_game: GameCallback,
) -> list[PlayedBlock]:
    """Play a chunk and return its blocks; `bots` are all of the tournament."""
    seated = [bots[number] for number in chunk.table]
    game = variant(chunk.cell.variant).game(chunk.cell.seats)
    deals = [Deal(block.seed) for block in chunk.blocks]
    turns = list(zip(*(block.seatings for block in chunk.blocks), strict=True))
    games: dict[tuple[int, int], tuple[GameResult, StoredGame]] = {}
    for turn, number, played in play_deals(
        SeatedDeals(game, seated, deals, turns), launcher, config
    ):
        seating = chunk.blocks[number].seatings[turn]
        # What bots wrote to stderr is stored only for games with faults.
        stderr = played.stderr if played.record.faults else ()
        games[number, turn] = (
            game_result(seating, played.record, played.deciders),
            StoredGame(played.record, stderr),
        )
        for fault in played.record.faults:
            bot = played.record.bots[fault.seat].name
            LOG.info("%s in seat %d, seed %d: %s", bot, fault.seat, played.record.seed, fault.text)
        on_game()
    return [
        PlayedBlock(
            key=block.key,
            variant=chunk.cell.variant,
            seats=chunk.cell.seats,
            number=block.number,
            seed=block.seed,
            bots=tuple(bot.name for bot in seated),
            results=tuple(games[number, turn][0] for turn in range(len(turns))),
            packed_games=pack_games(games[number, turn][1] for turn in range(len(turns))),
        )
        for number, block in enumerate(chunk.blocks)
    ]


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker needs to know before its first task."""

    core: int
    bots: Sequence[Bot]
    config: RefereeConfig


def run_worker(pipe: Connection, setup: WorkerSetup, logs: Connection) -> None:
    """Play the tasks that arrive through a pipe, until it is closed."""
    bind_to_parent()
    logger = logging.getLogger("arena")
    logger.setLevel(logging.INFO)
    logger.addHandler(QueueHandler(cast("Any", LogPipe(logs))))
    pin_to_core(setup.core)
    with ExitStack() as stack:
        launcher = stack.enter_context(Launcher(setup.config.sandbox))
        while True:
            try:
                task: ChunkTask = pipe.recv()
            except EOFError:
                return
            with ProgressReporter(pipe, task.number, launcher) as reporter:
                event = play_task(task, setup, launcher, reporter)
            if isinstance(event, TaskFailure):
                stack.close()  # the state of the supervisor is unknown
                launcher = stack.enter_context(Launcher(setup.config.sandbox))
            pipe.send(event)


def bind_to_parent() -> None:
    """Ignore stop signals, and end when the process that started this one ends."""
    ignore_stop_signals()
    threading.Thread(target=exit_with_parent, daemon=True).start()


def ignore_stop_signals() -> None:
    """Ignore stop signals, which the parent process handles."""
    for ignored in STOP_SIGNALS:
        signal.signal(ignored, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def exit_with_parent() -> None:
    """Wait until the process that started this one has ended, then end at once."""
    parent = parent_process()
    if parent:
        wait([parent.sentinel])
    os._exit(1)


class EventSender(Protocol):
    """A connection that events can be sent through."""

    def send(self, event: BackendEvent, /) -> None:
        """Send an event."""


class ProgressReporter:
    """Reports from a thread how far a task is, as long as its referee works."""

    def __init__(self, pipe: EventSender, number: int, launcher: Launcher) -> None:
        self.pipe = pipe
        self.number = number
        self.launcher = launcher
        self.games = 0
        self.finished = threading.Event()
        self.thread = threading.Thread(target=self.report_progress, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finished.set()
        self.thread.join()

    def count_game(self) -> None:
        """Count one more finished game."""
        self.games += 1

    def report_progress(self) -> None:
        """Report until the task is over; a worker that is stopped or hangs sends nothing."""
        games, listen_count, seconds = 0, -1, 0.0
        with suppress(OSError):  # the parent is gone, and this process is about to end
            while not self.finished.wait(PROGRESS_INTERVAL):
                seconds += PROGRESS_INTERVAL
                is_alive = (
                    seconds >= HEARTBEAT_INTERVAL and self.launcher.listen_count != listen_count
                )
                if self.games != games or is_alive:
                    games, listen_count, seconds = self.games, self.launcher.listen_count, 0.0
                    self.pipe.send(GamesFinished(self.number, games))


def play_task(
    task: ChunkTask, setup: WorkerSetup, launcher: Launcher, reporter: ProgressReporter
) -> BackendEvent:
    """Play a task; return its blocks, or why it was not played to its end."""
    config = replace(
        setup.config, allows_excuses=True, bots_without_excuses=task.bots_without_excuses
    )
    start = time.monotonic()
    try:
        blocks = play_chunk(task.chunk, setup.bots, launcher, config, reporter.count_game)
        seconds = time.monotonic() - start
        what = f"{len(blocks)} blocks of {task.chunk.cell}"
        LOG.info("chunk %d: %s, %d games in %.1f s", task.number, what, reporter.games, seconds)
        return TaskResult(task.number, blocks, seconds)
    except BotKilled as killed:
        return TaskFailure(task.number, str(killed), killed.bot)
    except GameStopped as stopped:
        return StrictFault(task.number, stopped.fault, stopped.record)
    except ArenaError as error:
        return TaskFailure(task.number, str(error))
    except Exception as error:  # a bug that shows in one chunk must not end the whole run
        LOG.exception("chunk %d cannot be played", task.number)
        return TaskFailure(task.number, f"{type(error).__name__}: {error}")
