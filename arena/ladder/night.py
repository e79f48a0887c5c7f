"""Play one night: load its bots, choose tables round by round, resume after interruptions.

Nothing that a night plans is written down. The tables of a round follow from the ratings at the
beginning of the night and from the results of all rounds but the one before, so that nobody waits
for the end of a round; who begins again comes to the same tables, and plays what is missing.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.ladder import standings
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking.matchmaker import Contender, Match, Matchmaker
from arena.ladder.models import MAX_TEXT, Aim, Night, Version, shorten
from arena.ladder.standings import has_too_many_faults
from arena.ratings.cell import Cell
from arena.ratings.overall import RatedCell, strength_spread
from arena.ratings.results import RankBy, rank_places
from arena.ratings.trueskill import MU, SIGMA
from arena.store.block import PlayedBlock
from arena.store.database import explain_errors
from arena.store.run import Run
from arena.store.writing import block_entries
from arena.tournaments.deals import add_salt, hash_parts, terms_key
from arena.tournaments.plan.blocks import BlockFactory, Chunk
from arena.tournaments.play.backend import Backend, ChunkTask
from arena.tournaments.play.dispatcher import ChunkDispatcher, Progress, ProgressCallback
from arena.tournaments.play.signals import StopRequest

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class NightEntrant:
    """A version that plays in a night."""

    version: Version
    bot: Bot
    path: str


def load_entrants(
    ladder: Ladder, versions: Iterable[Version]
) -> tuple[list[NightEntrant], list[tuple[str, str]]]:
    """The versions that can be run here, and those that cannot, with why."""
    found, left_out = [], []
    for version in versions:
        try:
            place = ladder.version_path(version.digest)
            found.append(NightEntrant(version, ladder.load_bot(version), str(place)))
        except ArenaError as error:
            text = shorten(str(error).partition("\n")[0], MAX_TEXT)
            LOG.warning("%s cannot be played tonight: %s", version.bot, text)
            left_out.append((version.bot, text))
    return found, left_out


def cell_weights(cells: Sequence[Cell], rated: Sequence[RatedCell]) -> list[float]:
    """What each cell contributes to the overall strength, as in the overall rating."""
    spreads = {one.cell: strength_spread(one.rating) for one in rated}
    found = [1 / spreads.get(cell, SIGMA) for cell in cells]
    return [one / sum(found) for one in found]


def contenders(
    run: Run, rated: Sequence[RatedCell], ladder: Ladder, entrants: Sequence[NightEntrant]
) -> list[Contender]:
    """What the matchmaker is told about those who play, as it stood before the night."""
    numbers = {name: number for number, name in enumerate(run.roster().bots)}
    by_cell = {one.cell: one.rating for one in rated}
    found = []
    for player in entrants:
        number = numbers[player.version.bot]
        known = [by_cell.get(cell) for cell in ladder.settings.cells]
        played = [one if one is not None and one.played[number] else None for one in known]
        found.append(
            Contender(
                name=player.version.bot,
                owner=player.version.owner,
                mu=tuple(float(one.mu[number]) if one else MU for one in played),
                sigma=tuple(float(one.sigma[number]) if one else SIGMA for one in played),
                blocks=tuple(int(one.blocks[number]) if one else 0 for one in played),
            )
        )
    return found


MIN_TABLES: Final = 8
"""Tables of a round, at the least."""
TABLES_PER_WORKER: Final = 2
"""And so many for each worker, so that none has to wait for another."""


def salt(number: int) -> str:
    """What makes the deals of a night its own."""
    return f"night {number}"


def new_aim(games: int | None, end: datetime | None, workers: int) -> Aim:
    """When a night is over that so many workers play."""
    return Aim(
        round=max(MIN_TABLES, TABLES_PER_WORKER * workers),
        games=games,
        until=None if end is None else end.isoformat(timespec="seconds"),
    )


@dataclass
class TableVisit:
    """A table of a round, and what it plays."""

    match: Match
    chunk: Chunk


@dataclass(frozen=True)
class BlockOutcome:
    """What a block came to."""

    ranks: list[int]
    """Of each place."""
    faulty_games: list[int]
    """For each place, the games with a fault of it."""
    games: int


class NightDispatcher(ChunkDispatcher):
    """The play of one night."""

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
        self.night_seed = add_salt(run.header.seed, salt(night.number))
        tournament = ladder.tournament(
            ((player.bot, ladder.version_path(player.version.digest)) for player in entrants),
            self.night_seed,
        )
        super().__init__(
            tournament, run, backend, stop_request, self.estimate_progress, salt=salt(night.number)
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
        self.terms_hash = terms_key(settings.terms, settings.sandbox_limits)
        self.visit_counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
        """How often each table was visited in each cell tonight."""
        self.outcomes: dict[bytes, BlockOutcome] = {}
        """What blocks came to that were kept tonight and not learned from yet."""
        self.games_played: Counter[int] = Counter()
        self.faulty_games: Counter[int] = Counter()
        """For each bot of the night, its games so far and those with a fault of it."""
        counted = standings.fault_counts(run, night.last)
        for number, player in enumerate(entrants):
            self.games_played[number], self.faulty_games[number] = counted.get(
                player.version.bot, (0, 0)
            )
        self.excluded: set[int] = set()
        """Those who were at fault too often."""
        self.planned_games = 0
        """Games, in all rounds so far."""
        self.earlier_games = games_before(run, night)

    @property
    def is_time_over(self) -> bool:
        """Whether the night is over; who waits for a worker until then is not waited for."""
        return self.night.aim.is_time_up

    def play(self) -> bool:
        """Play until the aim is reached; whether it was, and nobody interrupted it."""
        return self.play_all(self.chunks())

    def chunks(self) -> Iterator[Chunk | None]:
        """What is to be played and is not kept yet; None while a round has to be waited for."""
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
        found = []
        for _ in range(self.night.aim.round):
            if self.is_fully_planned():
                break
            try:
                match = self.matchmaker.next_match()
            except ValueError:  # so many are gone that no table can be filled
                break
            found.append(self.plan_visit(match))
            self.planned_games += self.ladder.settings.games_per_visit[match.cell]
        return found

    def plan_visit(self, match: Match) -> TableVisit:
        """What a table plays: the next blocks of it tonight."""
        cell, deals = (
            self.ladder.settings.cells[match.cell],
            self.ladder.settings.deals_per_visit[match.cell],
        )
        first = self.visit_counts[match.cell, match.table] * deals
        self.visit_counts[match.cell, match.table] += 1
        bots = [self.tournament.bots[number] for number in match.table]
        drawing = BlockFactory(self.night_seed, cell, bots, self.terms_hash, "balanced")
        return TableVisit(
            match, Chunk(cell, match.table, drawing.blocks(range(first, first + deals)))
        )

    def is_fully_planned(self) -> bool:
        """Whether no further round is to be begun."""
        aim = self.night.aim
        return aim.is_time_up or (aim.games is not None and self.planned_games >= aim.games)

    def is_round_over(self, visits: Iterable[TableVisit]) -> bool:
        """Whether everything of a round is kept or given up."""
        return all(
            block.key in self.stored_keys or block.key in self.failed_blocks
            for visit in visits
            for block in visit.chunk.blocks
        )

    def learn_from_round(self, visits: Iterable[TableVisit]) -> None:
        """Let the matchmaker know what became of a round, table by table."""
        for visit in visits:
            blocks = [block for block in visit.chunk.blocks if block.key in self.stored_keys]
            found = [self.find_outcome(block.key) for block in blocks]
            for one in found:
                for number, faulty in zip(visit.match.table, one.faulty_games, strict=True):
                    self.games_played[number] += one.games
                    self.faulty_games[number] += faulty
            # Of a visit that was given up, nothing: what was expected of it is taken back.
            self.matchmaker.learn(visit.match, [one.ranks for one in found])
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
        """What a block came to; of one that was kept before, from the store."""
        found = self.outcomes.pop(key, None)
        return found or block_outcome(self.run.block(key), self.ladder.settings.keys.standing)

    def store_blocks(self, blocks: list[PlayedBlock]) -> None:
        """Put blocks into the store, and remember what they came to until a round is over."""
        super().store_blocks(blocks)
        for block in blocks:
            self.outcomes[block.key] = block_outcome(block, self.ladder.settings.keys.standing)

    def bots_to_check(self, task: ChunkTask) -> Iterable[int]:
        """The bots whose files are looked at after a task: those that played it."""
        return task.chunk.table

    def estimate_progress(self, progress: Progress) -> None:
        """Show how far it is, and how much there is to play tonight as far as one can tell."""
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
    """What a block came to."""
    told = block_entries(block.results, block.seats)
    points = np.array([[float(one.points) for one in told]])
    placement = np.array([[one.placement for one in told]])
    faulty = [0] * block.seats
    for result in block.results:
        for seat, place in enumerate(result.seating):
            faulty[place] += result.faults[seat] > 0
    ranks: list[int] = rank_places(points, placement, by)[0].tolist()
    return BlockOutcome(ranks, faulty, len(block.results))


def games_before(run: Run, night: Night) -> int:
    """The games that are kept and belong to no part of a night that was played before."""
    with explain_errors(run.file):
        (own,) = run.connection.execute(
            "SELECT coalesce(sum(games), 0) FROM block JOIN session ON session.id = session"
            " WHERE salt = ?",
            (salt(night.number),),
        ).fetchone()
    return run.game_count() - int(own)
