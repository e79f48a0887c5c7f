"""Play a session of a tournament, stage by stage, until the plan is complete or may stop."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from arena.ratings.cell import Cell
from arena.ratings.confidence import OrderVerdict, better_chances, judge_order
from arena.ratings.overall import Roster, average, rate_cells
from arena.ratings.results import Results
from arena.store.reading import EndReason
from arena.store.run import Run
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import Backend
from arena.tournaments.play.dispatcher import ChunkDispatcher, Progress, ProgressCallback
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunResult:
    """How a sitting ended."""

    progress: Progress
    was_interrupted: bool = False
    failed_chunks: tuple[str, ...] = ()
    """Chunks that could not be played, and why."""
    verdict: OrderVerdict | None = None
    """What was certain when playing stopped, if that was asked for."""


class TournamentSession(ChunkDispatcher):
    """One sitting at a run."""

    def __init__(  # noqa: PLR0913 (a sitting needs them all)
        self,
        plan: Plan,
        run: Run,
        backend: Backend,
        stop_request: StopRequest,
        on_progress: ProgressCallback,
        *,
        part: tuple[int, int] = (1, 1),
    ) -> None:
        super().__init__(plan.tournament, run, backend, stop_request, on_progress)
        self.plan = plan
        self.part = part
        """Which part of so many this machine plays, from 1."""
        self.planned_keys: set[bytes] = set()
        """The blocks of all stages so far, where there is more than one."""
        progress = self.progress
        progress.total_blocks = max(plan.totals.blocks, progress.blocks)
        progress.total_games = max(plan.totals.games, progress.games)
        progress.stages = plan.stage_count

    def play(self) -> RunResult:
        """Play what is missing, stage by stage, until all is there or enough is known."""
        whole, verdict = True, None
        LOG.info("%d of %d blocks are kept", self.progress.blocks, self.progress.total_blocks)
        for stage in range(self.plan.stage_count):
            self.progress.stage = stage
            chunks = self.plan.stage_chunks(
                stage, self.results_so_far() if self.plan.is_adaptive else {}
            )
            whole = self.play_all(self.missing_chunks(chunks))
            if not whole or self.failed_chunks:
                break
            verdict = self.order_verdict()
            if verdict and verdict.is_done:
                break
        LOG.info(
            "%d blocks are kept, %d games were played now",
            len(self.stored_keys),
            self.progress.new_games,
        )
        self.run.end_session(
            self.session_ending(whole=whole, verdict=verdict), self.plan.totals.blocks
        )
        return RunResult(self.progress, not whole, tuple(self.failed_chunks.values()), verdict)

    def session_ending(self, *, whole: bool, verdict: OrderVerdict | None) -> EndReason:
        """How this session ends, as the run is to remember it."""
        if not whole:
            return "interrupted"
        if self.failed_chunks:
            return "failed"
        if self.part[1] > 1:
            return "part"
        early = len(self.stored_keys) < self.plan.totals.blocks
        return "settled" if early and verdict and verdict.is_done else "finished"

    def missing_chunks(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """What is left of these chunks without the blocks that are kept."""
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
        """What the blocks of all stages so far came to."""
        cells = self.plan.tournament.cells
        return {cell: self.run.results(cell, only=self.planned_keys) for cell in cells}

    def order_verdict(self) -> OrderVerdict | None:
        """What is certain by now, if the tournament is to stop when all is."""
        tournament = self.plan.tournament
        if tournament.stop is None:
            return None
        names = tuple(bot.name for bot in tournament.bots)
        rating = tournament.rating
        roster = Roster(tournament.name, names, rating.standing, rating.anchors)
        mean = average(rate_cells(roster, self.results_so_far()), len(names))
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
