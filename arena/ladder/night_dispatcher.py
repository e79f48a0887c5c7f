"""Choose the tables of a night round by round, and play them.

The tables of a night are not stored. Those of a round follow from the ratings at the beginning of
the night and from the results of all rounds except the one before, so that no worker waits for the
end of a round. A night that is resumed comes to the same tables and plays the missing blocks.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.ladder import standings
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking.matchmaker import Contender, Match, Matchmaker
from arena.ladder.models import Night
from arena.ladder.night_lifecycle import NightEntrant
from arena.ladder.registry import Registry
from arena.ladder.standings import has_too_many_faults
from arena.ratings.cell import Cell
from arena.ratings.overall import RatedCell, strength_spread
from arena.ratings.results import RankBy, rank_places
from arena.ratings.trueskill import MU, SIGMA
from arena.store.block import PlayedBlock
from arena.store.run import Run
from arena.store.writing import block_entries
from arena.tournaments.deals import add_salt, block_key_settings, hash_parts
from arena.tournaments.plan.blocks import BlockFactory, Chunk
from arena.tournaments.play.backend import Backend, ChunkTask
from arena.tournaments.play.dispatcher import ChunkDispatcher, Progress, ProgressCallback
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)


def cell_weights(cells: Sequence[Cell], rated: Sequence[RatedCell]) -> list[float]:
    """The weight of each cell in the overall strength, as in the overall rating."""
    spreads = {one.cell: strength_spread(one.rating) for one in rated}
    weights = [1 / spreads.get(cell, SIGMA) for cell in cells]
    return [weight / sum(weights) for weight in weights]


def contenders(
    run: Run, rated: Sequence[RatedCell], ladder: Ladder, entrants: Sequence[NightEntrant]
) -> list[Contender]:
    """The entrants with their ratings before the night, for the matchmaker."""
    numbers = {name: number for number, name in enumerate(run.roster().bots)}
    by_cell = {one.cell: one.rating for one in rated}
    found = []
    for entrant in entrants:
        number = numbers[entrant.version.bot]
        ratings = [by_cell.get(cell) for cell in ladder.settings.cells]
        played = [one if one is not None and one.has_played[number] else None for one in ratings]
        found.append(
            Contender(
                name=entrant.version.bot,
                owner=entrant.version.owner,
                mu=tuple(float(one.mu[number]) if one else MU for one in played),
                sigma=tuple(float(one.sigma[number]) if one else SIGMA for one in played),
                blocks=tuple(int(one.blocks[number]) if one else 0 for one in played),
            )
        )
    return found


@dataclass
class TableVisit:
    """A table of a round, and the blocks that it plays."""

    match: Match
    chunk: Chunk


@dataclass(frozen=True)
class BlockOutcome:
    """The result of a block, as far as a night needs it."""

    ranks: list[int]
    """The rank of each place."""
    faulty_games: list[int]
    """For each place, the games with a fault of its bot."""
    games: int


class NightDispatcher(ChunkDispatcher):
    """Plays one night."""

    def __init__(  # noqa: PLR0913, PLR0917 (a night needs them all)
        self,
        ladder: Ladder,
        night: Night,
        entrants: Sequence[NightEntrant],
        run: Run,
        backend: Backend,
        stop_request: StopRequest,
        on_progress: ProgressCallback,
    ) -> None:
        self.night_seed = add_salt(run.header.seed, night.salt)
        tournament = ladder.tournament(
            ((one.bot, ladder.version_path(one.version.digest)) for one in entrants),
            self.night_seed,
        )
        super().__init__(
            tournament, run, backend, stop_request, self.estimate_progress, salt=night.salt
        )
        self.show_progress = on_progress
        self.ladder = ladder
        self.night = night
        self.ratings_before = standings.cell_ratings(run, ladder.settings.cells, night.last)
        settings = ladder.settings
        self.matchmaker = Matchmaker(
            settings.cells,
            contenders(run, self.ratings_before, ladder, entrants),
            settings.deals_per_visit,
            settings.games_per_visit,
            hash_parts("stichkampf-night-1", self.night_seed),
            cell_weights(settings.cells, self.ratings_before),
        )
        self.key_settings = block_key_settings(settings.referee_config, settings.sandbox_limits)
        self.visit_counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
        """How often each table has played in each cell tonight."""
        self.outcomes: dict[bytes, BlockOutcome] = {}
        """Of the blocks that were stored tonight and that the matchmaker has not learned from."""
        self.games_played: Counter[int] = Counter()
        self.faulty_games: Counter[int] = Counter()
        """For each entrant, all its games so far and those with a fault of it."""
        registry = Registry.of_run(run)
        counts = registry.fault_counts(night.last)
        for number, entrant in enumerate(entrants):
            self.games_played[number], self.faulty_games[number] = counts.get(
                entrant.version.bot, (0, 0)
            )
        self.excluded: set[int] = set()
        """Entrants that were at fault too often and play no more."""
        self.planned_games = 0
        """Games in all rounds so far."""
        _, games_tonight, _ = registry.night_totals(night)
        self.earlier_games = run.game_count() - games_tonight

    @property
    def is_time_over(self) -> bool:
        """Whether the night's time is up; tasks that wait for a worker are then cancelled."""
        return self.night.aim.is_time_up

    def play(self) -> bool:
        """Play until the night's limits are reached; return False if playing was interrupted."""
        return self.play_all(self.chunks())

    def chunks(self) -> Iterator[Chunk | None]:
        """The missing chunks of all rounds; None while an earlier round must be finished first."""
        rounds: list[list[TableVisit]] = []
        while not self.is_fully_planned():
            if len(rounds) > 1:
                while not self.is_round_over(rounds[-2]):
                    yield None
                self.learn_from_round(rounds[-2])
                rounds[-2] = []
            visits = self.plan_round()
            if not visits:
                return
            rounds.append(visits)
            for visit in visits:
                missing = tuple(b for b in visit.chunk.blocks if b.key not in self.stored_keys)
                if missing and not self.night.aim.is_time_up:
                    yield replace(visit.chunk, blocks=missing)

    def plan_round(self) -> list[TableVisit]:
        """The tables of the next round."""
        visits = []
        for _ in range(self.night.aim.round):
            if self.is_fully_planned():
                break
            try:
                match = self.matchmaker.next_match()
            except ValueError:  # too few bots are left to fill a table
                break
            visits.append(self.plan_visit(match))
            self.planned_games += self.ladder.settings.games_per_visit[match.cell]
        return visits

    def plan_visit(self, match: Match) -> TableVisit:
        """The next blocks of a table tonight."""
        settings = self.ladder.settings
        cell, deals = settings.cells[match.cell], settings.deals_per_visit[match.cell]
        first = self.visit_counts[match.cell, match.table] * deals
        self.visit_counts[match.cell, match.table] += 1
        bots = [self.tournament.bots[number] for number in match.table]
        factory = BlockFactory(self.night_seed, cell, bots, self.key_settings, "balanced")
        blocks = factory.blocks(range(first, first + deals))
        return TableVisit(match, Chunk(cell, match.table, blocks))

    def is_fully_planned(self) -> bool:
        """Whether no further table is planned."""
        aim = self.night.aim
        return aim.is_time_up or (aim.games is not None and self.planned_games >= aim.games)

    def is_round_over(self, visits: Iterable[TableVisit]) -> bool:
        """Whether each block of a round is stored or has failed."""
        return all(
            block.key in self.stored_keys or block.key in self.failed_blocks
            for visit in visits
            for block in visit.chunk.blocks
        )

    def learn_from_round(self, visits: Iterable[TableVisit]) -> None:
        """Report the results of a round to the matchmaker, table by table."""
        for visit in visits:
            blocks = [block for block in visit.chunk.blocks if block.key in self.stored_keys]
            outcomes = [self.find_outcome(block.key) for block in blocks]
            for one in outcomes:
                for number, faulty in zip(visit.match.table, one.faulty_games, strict=True):
                    self.games_played[number] += one.games
                    self.faulty_games[number] += faulty
            # A visit that failed has no outcomes; the matchmaker then forgets its forecast.
            self.matchmaker.learn(visit.match, [one.ranks for one in outcomes])
        for number in range(len(self.tournament.bots)):
            if number not in self.excluded and has_too_many_faults(
                self.games_played[number],
                self.faulty_games[number],
                self.ladder.settings.keys.retire,
            ):
                self.excluded.add(number)
                self.matchmaker.remove_bot(number)
                LOG.warning(
                    "%s is at fault too often and plays no more", self.tournament.bots[number].name
                )

    def find_outcome(self, key: bytes) -> BlockOutcome:
        """The outcome of a block, from the store if an earlier session played it."""
        outcome = self.outcomes.pop(key, None)
        return outcome or block_outcome(self.run.block(key), self.ladder.settings.keys.standing)

    def store_blocks(self, blocks: list[PlayedBlock]) -> None:
        """Store blocks, and remember their outcomes until their round is over."""
        super().store_blocks(blocks)
        for block in blocks:
            self.outcomes[block.key] = block_outcome(block, self.ladder.settings.keys.standing)

    def bots_to_check(self, task: ChunkTask) -> Iterable[int]:
        """The bots whose files are checked after a task: those that played it."""
        return task.chunk.table

    def estimate_progress(self, progress: Progress) -> None:
        """Report the progress, with an estimate of how much will be played tonight."""
        games = progress.games + sum(progress.games_in_flight.values())
        aim = self.night.aim
        if aim.games is not None:
            progress.total_games = max(games, self.earlier_games + aim.games)
        elif aim.seconds_left is not None:
            rate = progress.played_games / max(1.0, progress.seconds)
            progress.total_games = games + max(0, round(rate * aim.seconds_left))
        share = (progress.blocks + 1) / (progress.games + 1)
        progress.total_blocks = max(progress.blocks, round(progress.total_games * share))
        self.show_progress(progress)


def block_outcome(block: PlayedBlock, by: RankBy) -> BlockOutcome:
    """The ranks and faults in a block."""
    entries = block_entries(block.results, block.seats)
    points = np.array([[float(one.points) for one in entries]])
    placement = np.array([[one.placement for one in entries]])
    faulty = [0] * block.seats
    for result in block.results:
        for seat, place in enumerate(result.seating):
            faulty[place] += result.faults[seat] > 0
    ranks: list[int] = rank_places(points, placement, by)[0].tolist()
    return BlockOutcome(ranks, faulty, len(block.results))
