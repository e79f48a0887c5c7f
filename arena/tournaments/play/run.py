"""Play a tournament: open or resume its run and play what is missing, stage by stage."""

import logging
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from signal import Signals
from threading import Event

from arena.bots.bot import Bot
from arena.errors import ArenaError, BadBot
from arena.ratings.cell import Cell
from arena.ratings.confidence import OrderVerdict, better_chances, judge_order
from arena.ratings.overall import Roster, average_cells, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import Standings
from arena.referee.config import RefereeConfig
from arena.store.database import RUN_FILE
from arena.store.reading import EndReason
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import Backend, RemoteBackend, SizedBackend
from arena.tournaments.play.dispatcher import BotFiles, ChunkDispatcher, Progress, ProgressCallback
from arena.tournaments.play.live_standings import load_standings
from arena.tournaments.play.local_backend import LocalBackend, count_cores
from arena.tournaments.play.logging_setup import LOG_FILE_NAME, log_to_file, sandbox_text
from arena.tournaments.play.resume import OpenedRun, code_hash, open_run
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)

PlanPart = tuple[int, int]
"""Which part of so many, from 1."""
WHOLE_PLAN: PlanPart = (1, 1)

StartCheck = Callable[[Bot, Sequence[str], RefereeConfig, Event], str]
"""Returns why a bot cannot play these variants, or ""; the event cancels it."""
OpenedCallback = Callable[[OpenedRun, Plan], None]
"""Is called once, when the run is open and nothing of this session is played."""


@dataclass(frozen=True)
class RunResult:
    """How a session of a run ended."""

    folder: Path
    progress: Progress
    stop_signal: Signals | None = None
    """The signal (SIGINT if there was none) that interrupted it; None: it was not interrupted."""
    failed_chunks: tuple[str, ...] = ()
    """Chunks that could not be played, and why."""
    verdict: OrderVerdict | None = None
    """How certain the order was at the end, if the tournament stops when it is certain."""

    @property
    def was_interrupted(self) -> bool:
        """Whether a stop request ended it before everything was played."""
        return self.stop_signal is not None

    def standings(self) -> Standings:
        """The standings of the run as it is stored now."""
        return load_standings(self.folder)


def run_tournament(  # noqa: PLR0913 (each is a choice of the caller)
    tournament: Tournament | Path,
    folder: Path,
    *,
    workers: int | None = None,
    part: PlanPart = WHOLE_PLAN,
    backend: RemoteBackend | None = None,
    find_start_problem: StartCheck | None = None,
    stop_request: StopRequest | None = None,
    on_opened: OpenedCallback = lambda _opened, _plan: None,
    on_progress: ProgressCallback = lambda _progress: None,
    on_played: Callable[[], None] = lambda: None,
    screen_handler: logging.Handler | None = None,
) -> RunResult:
    """Play what is missing of a tournament, or of its file, in the folder of its run.

    The run is created if it does not exist. Without a `backend` it is played on `workers` cores of
    this machine, by default on as many as the tournament says, and `find_start_problem` checks each
    bot before a new run is created; a `backend` checks the bots itself. A `stop_request` handles
    its signals while games are played; by default no signal handler is changed. `on_played` is
    called when playing is over, also after an error, before the run is closed. The log goes to the
    folder, and warnings to `screen_handler`.
    """
    if isinstance(tournament, Path):
        tournament = load_tournament(tournament)
    if part != WHOLE_PLAN:
        check_divisible(tournament)
    if tournament.cluster and backend is None:
        raise ArenaError(f"{tournament.file}: it is played on a cluster, which needs its backend")
    if backend is None and find_start_problem and not (folder / RUN_FILE).exists():
        check_bots_start(tournament, find_start_problem)
    if stop_request is None:
        stop_request = StopRequest(signals=())
    with ExitStack() as stack:
        opened = open_run(tournament, folder)
        run = stack.enter_context(opened.run)
        stack.enter_context(log_to_file(folder / LOG_FILE_NAME, screen_handler))
        plan = Plan(tournament, run.header.seed)
        # A callback of the caller may start a display, which ends before the run is closed.
        stack.callback(on_played)
        if backend:
            check_bots_on_backend(backend, tournament, is_new=opened.is_new)
        on_opened(opened, plan)
        stack.enter_context(stop_request)
        player: SizedBackend
        if backend:
            player = backend
        else:
            cores = workers or tournament.workers or count_cores()
            player = stack.enter_context(
                LocalBackend(cores, tournament.bots, tournament.referee_config)
            )
        run.begin_session(code_hash(), player.cores, tournament.referee_config.sandbox.level)
        LOG.info("sandbox %s", sandbox_text(tournament.referee_config.sandbox))
        session = TournamentSession(plan, run, player, stop_request, on_progress, part=part)
        return session.play()


def check_bots_on_backend(backend: RemoteBackend, tournament: Tournament, *, is_new: bool) -> None:
    """Reject a tournament if a backend cannot play one of its bots; start them for a new run."""
    problems = backend.check_bots(BotFiles(tournament.bots, tournament.paths).bot_paths)
    for name, problem in problems.items():
        raise ArenaError(f"{name} cannot take part: {problem}")
    if is_new:
        backend.check_ready(tournament.variants)


def check_divisible(tournament: Tournament) -> None:
    """Reject a tournament whose plan cannot be played in parts."""
    if tournament.stop or Plan(tournament, "").is_adaptive:
        raise ArenaError("--part needs a plan that no result changes: no stop, no adaptive tables")
    if tournament.seed is None:
        raise ArenaError(
            f"{tournament.file}: --part needs the key 'seed', the same on all machines; any long "
            "text will do"
        )


def check_bots_start(tournament: Tournament, find_problem: StartCheck) -> None:
    """Reject a tournament if a bot does not start, or does not play one of its variants."""
    cancelled = Event()
    with ThreadPoolExecutor(count_cores()) as pool:
        checks = [
            pool.submit(
                find_problem, bot, tournament.variants, tournament.referee_config, cancelled
            )
            for bot in tournament.bots
        ]
        try:
            for path, check in zip(tournament.paths, checks, strict=True):
                if problem := check.result():
                    command = ["arena", "check", path, *tournament.referee_config.sandbox.options]
                    raise BadBot(f"{problem}; '{shlex.join(command)}' says more")
        finally:  # after an error or Ctrl-C, do not wait for the other bots
            cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)


class TournamentSession(ChunkDispatcher):
    """One session of a run: plays what is missing, until the plan is complete or may stop."""

    def __init__(  # noqa: PLR0913 (a session needs them all)
        self,
        plan: Plan,
        run: Run,
        backend: Backend,
        stop_request: StopRequest,
        on_progress: ProgressCallback,
        *,
        part: PlanPart = WHOLE_PLAN,
    ) -> None:
        super().__init__(plan.tournament, run, backend, stop_request, on_progress)
        self.plan = plan
        self.part = part
        self.planned_keys: set[bytes] = set()
        """The blocks of all stages so far, where there is more than one."""
        progress = self.progress
        progress.total_blocks = max(plan.totals.blocks, progress.blocks)
        progress.total_games = max(plan.totals.games, progress.games)
        progress.stages = plan.stage_count

    def play(self) -> RunResult:
        """Play what is missing, stage by stage, until nothing is or the order is certain."""
        is_complete, verdict = True, None
        LOG.info("%d of %d blocks are stored", self.progress.blocks, self.progress.total_blocks)
        for stage in range(self.plan.stage_count):
            self.progress.stage = stage
            chunks = self.plan.stage_chunks(
                stage, self.results_so_far() if self.plan.is_adaptive else {}
            )
            is_complete = self.play_all(self.missing_chunks(chunks))
            if not is_complete or self.failed_chunks:
                break
            verdict = self.order_verdict()
            if verdict and verdict.is_done:
                break
        LOG.info(
            "%d blocks are stored, %d games were played now",
            len(self.stored_keys),
            self.progress.new_games,
        )
        self.run.end_session(
            self.end_reason(is_complete=is_complete, verdict=verdict), self.plan.totals.blocks
        )
        return RunResult(
            folder=self.run.folder,
            progress=self.progress,
            stop_signal=None if is_complete else self.stop_request.signal,
            failed_chunks=tuple(self.failed_chunks.values()),
            verdict=verdict,
        )

    def end_reason(self, *, is_complete: bool, verdict: OrderVerdict | None) -> EndReason:
        """How this session ended, as the run records it."""
        if not is_complete:
            return "interrupted"
        if self.failed_chunks:
            return "failed"
        if self.part != WHOLE_PLAN:
            return "part"
        is_early = len(self.stored_keys) < self.plan.totals.blocks
        return "settled" if is_early and verdict and verdict.is_done else "finished"

    def missing_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The chunks of this part, without the blocks that are stored."""
        part, parts = self.part
        for number, chunk in enumerate(chunks):
            if number % parts != part - 1:
                continue
            if self.plan.stage_count > 1:
                self.planned_keys.update(block.key for block in chunk.blocks)
            blocks = tuple(block for block in chunk.blocks if block.key not in self.stored_keys)
            if blocks:
                yield replace(chunk, blocks=blocks)

    def results_so_far(self) -> Mapping[Cell, Results]:
        """The results of the blocks of all stages so far."""
        cells = self.plan.tournament.cells
        return {cell: self.run.results(cell, only=self.planned_keys) for cell in cells}

    def order_verdict(self) -> OrderVerdict | None:
        """How certain the order is by now, if the tournament stops when it is certain."""
        tournament = self.plan.tournament
        if tournament.stop is None:
            return None
        names = tuple(bot.name for bot in tournament.bots)
        rating = tournament.rating
        roster = Roster(tournament.name, names, rating.standing, rating.anchors)
        mean = average_cells(rate_cells(roster, self.results_so_far()), len(names))
        if len(mean.order) < len(names):
            return None
        order, stop = mean.order, tournament.stop
        chances = better_chances(*mean.points_of(order)) if stop.by == "points" else None
        verdict = judge_order(*mean.ratings_of(order), confidence=stop.confidence, chances=chances)
        LOG.info(
            "after %d blocks the order is certain to %.3f",
            len(self.stored_keys),
            verdict.confidence,
        )
        return verdict
