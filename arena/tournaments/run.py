"""A run is played: what its plan holds and its store does not, until nothing is missing."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from arena.ratings.cell import Cell
from arena.ratings.certainty import Verdict, better, certify
from arena.ratings.overall import Roster, average, rate_cells
from arena.ratings.results import Results
from arena.store.reading import How
from arena.store.run import Run
from arena.tournaments.backend import Backend
from arena.tournaments.block import Chunk
from arena.tournaments.halt import Halt
from arena.tournaments.labour import Labour, Progress, Watch
from arena.tournaments.plan import Plan

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ended:
    """How a sitting ended."""

    progress: Progress
    interrupted: bool = False
    parked: tuple[str, ...] = ()
    """Chunks that could not be played, and why."""
    verdict: Verdict | None = None
    """What was certain when playing stopped, if that was asked for."""


class Sitting(Labour):
    """One sitting at a run."""

    def __init__(  # noqa: PLR0913 (a sitting needs them all)
        self,
        plan: Plan,
        run: Run,
        backend: Backend,
        halt: Halt,
        watch: Watch,
        *,
        part: tuple[int, int] = (1, 1),
    ) -> None:
        super().__init__(plan.tournament, run, backend, halt, watch)
        self.plan = plan
        self.part = part
        """Which part of so many this machine plays, from 1."""
        self.planned: set[bytes] = set()
        """The blocks of all stages so far, where there is more than one."""
        progress = self.progress
        progress.of_blocks = max(plan.totals.blocks, progress.blocks)
        progress.of_games = max(plan.totals.games, progress.games)
        progress.stages = plan.stages

    def play(self) -> Ended:
        """Play what is missing, stage by stage, until all is there or enough is known."""
        whole, verdict = True, None
        LOG.info("%d of %d blocks are kept", self.progress.blocks, self.progress.of_blocks)
        for stage in range(self.plan.stages):
            self.progress.stage = stage
            chunks = self.plan.stage(stage, self.known() if self.plan.adaptive else {})
            whole = self.play_all(self.missing(chunks))
            if not whole or self.parked:
                break
            verdict = self.look()
            if verdict and verdict.done:
                break
        LOG.info(
            "%d blocks are kept, %d games were played now", len(self.done), self.progress.fresh
        )
        self.run.end(self.how(whole=whole, verdict=verdict), self.plan.totals.blocks)
        return Ended(self.progress, not whole, tuple(self.parked.values()), verdict)

    def how(self, *, whole: bool, verdict: Verdict | None) -> How:
        """How this session ends, as the run is to remember it."""
        if not whole:
            return "interrupted"
        if self.parked:
            return "failed"
        if self.part[1] > 1:
            return "part"
        early = len(self.done) < self.plan.totals.blocks
        return "settled" if early and verdict and verdict.done else "finished"

    def missing(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """What is left of these chunks without the blocks that are kept."""
        part, parts = self.part
        for number, chunk in enumerate(chunks):
            if number % parts != part - 1:
                continue
            if self.plan.stages > 1:
                self.planned.update(block.key for block in chunk.blocks)
            blocks = tuple(block for block in chunk.blocks if block.key not in self.done)
            if blocks:
                yield replace(chunk, blocks=blocks)

    def known(self) -> Mapping[Cell, Results]:
        """What the blocks of all stages so far came to."""
        cells = self.plan.tournament.cells
        return {cell: self.run.results(cell, only=self.planned) for cell in cells}

    def look(self) -> Verdict | None:
        """What is certain by now, if the tournament is to stop when all is."""
        tournament = self.plan.tournament
        if tournament.stop is None:
            return None
        names = tuple(bot.name for bot in tournament.bots)
        rating = tournament.rating
        roster = Roster(tournament.name, names, rating.standing, rating.anchors)
        mean = average(rate_cells(roster, self.known()), len(names))
        if len(mean.order) < len(names):
            return None
        order, stop = mean.order, tournament.stop
        chances = better(*mean.points_of(order)) if stop.by == "points" else None
        verdict = certify(*mean.of(order), confidence=stop.confidence, chances=chances)
        LOG.info("after %d blocks the order is certain to %.3f", len(self.done), verdict.confidence)
        return verdict
