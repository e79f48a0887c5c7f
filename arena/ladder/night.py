"""A night: tables where most is learned, round by round, killed and resumed as it may come.

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

from arena.ladder import reckoning
from arena.ladder.facts import Aim, Night
from arena.ladder.field import Player, contenders, contributions
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking import Match, Matchmaker
from arena.ladder.retirement import too_often
from arena.ratings.standing import By, ranked
from arena.store.block import Block
from arena.store.database import explained
from arena.store.keeping import entries
from arena.store.run import Run
from arena.tournaments.backend import Backend, Task
from arena.tournaments.block import Chunk
from arena.tournaments.deals import digest, salted, terms_key
from arena.tournaments.drawing import Drawing
from arena.tournaments.halt import Halt
from arena.tournaments.labour import Labour, Progress, Watch

LOG = logging.getLogger(__name__)

SMALLEST: Final = 8
"""Tables of a round, at the least."""
FOR_EACH: Final = 2
"""And so many for each worker, so that none has to wait for another."""


def salt(number: int) -> str:
    """What makes the deals of a night its own."""
    return f"night {number}"


def aim(games: int | None, end: datetime | None, workers: int) -> Aim:
    """When a night is over that so many workers play."""
    return Aim(
        round=max(SMALLEST, FOR_EACH * workers),
        games=games,
        until=None if end is None else end.isoformat(timespec="seconds"),
    )


@dataclass
class Visit:
    """A table of a round, and what it plays."""

    match: Match
    chunk: Chunk


@dataclass(frozen=True)
class Outcome:
    """What a block came to."""

    ranks: list[int]
    """Of each place."""
    faulty: list[int]
    """For each place, the games with a fault of it."""
    games: int


class Playing(Labour):
    """The play of one night."""

    def __init__(  # noqa: PLR0913, PLR0917 (a night needs them all)
        self,
        ladder: Ladder,
        night: Night,
        who: Sequence[Player],
        run: Run,
        backend: Backend,
        halt: Halt,
        watch: Watch,
    ) -> None:
        self.secret = salted(run.header.seed, salt(night.number))
        tournament = ladder.tournament(
            ((player.bot, ladder.place(player.version.digest)) for player in who), self.secret
        )
        super().__init__(tournament, run, backend, halt, self.shown, salt=salt(night.number))
        self.viewer = watch
        self.ladder = ladder
        self.night = night
        self.before = reckoning.rated(run, ladder.settings.cells, night.last)
        settings = ladder.settings
        self.matchmaker = Matchmaker(
            settings.cells,
            contenders(run, self.before, ladder, who),
            settings.deals,
            settings.games,
            digest("stichkampf-night-1", self.secret),
            contributions(settings.cells, self.before),
        )
        self.agreed = terms_key(settings.terms, settings.sandbox)
        self.visits: Counter[tuple[int, tuple[int, ...]]] = Counter()
        """How often each table was visited in each cell tonight."""
        self.outcomes: dict[bytes, Outcome] = {}
        """What blocks came to that were kept tonight and not learned from yet."""
        self.games: Counter[int] = Counter()
        self.faulty: Counter[int] = Counter()
        """For each bot of the night, its games so far and those with a fault of it."""
        counted = reckoning.faulty(run, night.last)
        for number, player in enumerate(who):
            self.games[number], self.faulty[number] = counted.get(player.version.bot, (0, 0))
        self.gone: set[int] = set()
        """Those who were at fault too often."""
        self.planned = 0
        """Games, in all rounds so far."""
        self.first = games_before(run, night)

    @property
    def late(self) -> bool:
        """Whether the night is over; who waits for a worker until then is not waited for."""
        return self.night.aim.late

    def play(self) -> bool:
        """Play until the aim is reached; whether it was, and nobody interrupted it."""
        return self.play_all(self.chunks())

    def chunks(self) -> Iterator[Chunk | None]:
        """What is to be played and is not kept yet; None while a round has to be waited for."""
        rounds: list[list[Visit]] = []
        while not self.enough():
            if len(rounds) > 1:
                while not self.over(rounds[-2]):
                    yield None
                self.learn(rounds[-2])
                rounds[-2] = []
            visits = self.round()
            if not visits:
                return
            rounds.append(visits)
            for visit in visits:
                missing = tuple(b for b in visit.chunk.blocks if b.key not in self.done)
                if missing and not self.night.aim.late:
                    yield replace(visit.chunk, blocks=missing)

    def round(self) -> list[Visit]:
        """The tables of the next round."""
        found = []
        for _ in range(self.night.aim.round):
            if self.enough():
                break
            try:
                match = self.matchmaker.next()
            except ValueError:  # so many are gone that no table can be filled
                break
            found.append(self.visit(match))
            self.planned += self.ladder.settings.games[match.cell]
        return found

    def visit(self, match: Match) -> Visit:
        """What a table plays: the next blocks of it tonight."""
        cell, deals = self.ladder.settings.cells[match.cell], self.ladder.settings.deals[match.cell]
        first = self.visits[match.cell, match.table] * deals
        self.visits[match.cell, match.table] += 1
        bots = [self.tournament.bots[number] for number in match.table]
        drawing = Drawing(self.secret, cell, bots, self.agreed, "balanced")
        return Visit(match, Chunk(cell, match.table, drawing.blocks(range(first, first + deals))))

    def enough(self) -> bool:
        """Whether no further round is to be begun."""
        aim = self.night.aim
        return aim.late or (aim.games is not None and self.planned >= aim.games)

    def over(self, visits: Iterable[Visit]) -> bool:
        """Whether everything of a round is kept or given up."""
        return all(
            block.key in self.done or block.key in self.given_up
            for visit in visits
            for block in visit.chunk.blocks
        )

    def learn(self, visits: Iterable[Visit]) -> None:
        """Let the matchmaker know what became of a round, table by table."""
        for visit in visits:
            blocks = [block for block in visit.chunk.blocks if block.key in self.done]
            found = [self.outcome(block.key) for block in blocks]
            for one in found:
                for number, faulty in zip(visit.match.table, one.faulty, strict=True):
                    self.games[number] += one.games
                    self.faulty[number] += faulty
            # Of a visit that was given up, nothing: what was expected of it is taken back.
            self.matchmaker.learn(visit.match, [one.ranks for one in found])
        for number in range(len(self.tournament.bots)):
            if number not in self.gone and too_often(
                self.games[number], self.faulty[number], self.ladder.settings.keys.retire
            ):
                self.gone.add(number)
                self.matchmaker.leave(number)
                LOG.warning(
                    "%s is at fault too often and plays no more", self.tournament.bots[number].name
                )

    def outcome(self, key: bytes) -> Outcome:
        """What a block came to; of one that was kept before, from the store."""
        found = self.outcomes.pop(key, None)
        return found or outcome(self.run.block(key), self.ladder.settings.keys.standing)

    def keep(self, blocks: list[Block]) -> None:
        """Put blocks into the store, and remember what they came to until a round is over."""
        super().keep(blocks)
        for block in blocks:
            self.outcomes[block.key] = outcome(block, self.ladder.settings.keys.standing)

    def watched(self, task: Task) -> Iterable[int]:
        """The bots whose files are looked at after a task: those that played it."""
        return task.chunk.table

    def shown(self, progress: Progress) -> None:
        """Show how far it is, and how much there is to play tonight as far as one can tell."""
        games = progress.games + sum(progress.flying.values())
        aim = self.night.aim
        if aim.games is not None:
            progress.of_games = max(games, self.first + aim.games)
        elif aim.left is not None:
            rate = progress.played / max(1.0, progress.seconds)
            progress.of_games = games + max(0, round(rate * aim.left))
        share = (progress.blocks + 1) / (progress.games + 1)
        progress.of_blocks = max(progress.blocks, round(progress.of_games * share))
        self.viewer(progress)


def outcome(block: Block, by: By) -> Outcome:
    """What a block came to."""
    told = entries(block.results, block.seats)
    points = np.array([[float(one.points) for one in told]])
    placement = np.array([[one.placement for one in told]])
    faulty = [0] * block.seats
    for result in block.results:
        for seat, place in enumerate(result.seating):
            faulty[place] += result.faults[seat] > 0
    ranks: list[int] = ranked(points, placement, by)[0].tolist()
    return Outcome(ranks, faulty, len(block.results))


def games_before(run: Run, night: Night) -> int:
    """The games that are kept and belong to no part of a night that was played before."""
    with explained(run.file):
        (own,) = run.connection.execute(
            "SELECT coalesce(sum(games), 0) FROM block JOIN session ON session.id = session"
            " WHERE salt = ?",
            (salt(night.number),),
        ).fetchone()
    return run.size() - int(own)
