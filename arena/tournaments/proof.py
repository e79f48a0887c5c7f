"""Proof that a block is what it says: its games played again, its deal drawn again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.contents import is_same
from arena.errors import ArenaError
from arena.games.base import Bounds, Game
from arena.games.catalog import variant
from arena.match.record import Record, Seated, verify
from arena.match.terms import Terms
from arena.protocol.messages import PROTOCOL, FaultKind, Limits
from arena.ratings.cell import Cell
from arena.store.block import GONE, Block, Kept, Result, result, unpack
from arena.store.hashes import block_digest, digests
from arena.store.header import Header
from arena.store.keeping import entries, outcome
from arena.store.listing import DIGITS, game_id
from arena.store.reading import Aside, Written
from arena.tournaments.deals import commitment, salted, terms_key
from arena.tournaments.designs import Design
from arena.tournaments.drawing import Drawing
from arena.tournaments.keys import Faults, Stop, Tables


class Wrong(Struct, frozen=True):
    """Something that is not as it is written down."""

    where: str
    """The id of a game, or that of a block without a turn."""
    error: str


class Settings(Struct, frozen=True):
    """The settings of a run that decide what it plays: deals, tables, seatings and keys."""

    protocol: int
    cells: tuple[tuple[str, int], ...]
    bots: dict[str, str]
    deals: int
    seating: Design
    tables: Literal["all", "adaptive"] | Tables
    chunk: int
    clock: Limits | Literal["none"]
    faults: Faults
    games: int
    anonymous: bool
    sandbox: str
    stop: Stop | None = None
    seed: str | None = None

    @property
    def terms(self) -> Terms:
        """The terms the games were played on."""
        return Terms(
            limits=self.clock if isinstance(self.clock, Limits) else None,
            policy=self.faults.policy,
            retire=self.faults.retire,
            games=self.games,
            anonymous=self.anonymous,
        )


class Checked(Struct, frozen=True):
    """What was found in a block."""

    wrong: tuple[Wrong, ...]
    replayed: int
    """Games of it that could be played again."""
    digest: bytes = b""
    """The hash of all that the file says of it, if that was asked for."""


class Checker:
    """Checks the blocks of one run."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.versions = {bot.name: bot.shown for bot in header.bots}
        try:
            self.settings = msgspec.convert(header.settings, Settings)
        except msgspec.ValidationError as error:
            raise ArenaError(
                f"what decides the deals of {header.name} is not written down: {error}"
            ) from error
        self.agreed = terms_key(self.settings.terms, self.settings.sandbox)
        self.drawing = lru_cache(maxsize=64)(self._drawing)

    def _drawing(self, salt: str, cell: Cell, table: tuple[str, ...]) -> Drawing:
        """What draws the deals of a table, and names its blocks."""
        bots = [Bot(name, self.versions.get(name, ""), (), Path()) for name in table]
        secret = salted(self.header.seed, salt)
        return Drawing(secret, cell, bots, self.agreed, self.settings.seating)

    def run(self) -> Iterator[str]:
        """What is wrong with the run as a whole."""
        bound = commitment(self.header.seed)
        if bound != self.header.commitment:
            yield f"the seed is not the one that {self.header.commitment} was a commitment to"
        if self.settings.seed not in {None, bound}:
            yield "the settings belong to another seed"
        if self.settings.protocol != PROTOCOL:
            yield f"it was played with protocol {self.settings.protocol}, and this is {PROTOCOL}"
        listed = {bot.name: bot.version for bot in self.header.bots}
        told = self.settings.bots
        if told.keys() != listed.keys() or not all(
            is_same(told[name], version) for name, version in listed.items()
        ):
            yield "the settings name other bots or versions than are listed"

    def check(self, block: Block, written: Written, salt: str, *, hashed: bool) -> Checked:
        """Check a block and its games; its session added the salt to the seed."""
        name = block.key.hex()[:DIGITS]
        wrong: list[Wrong] = []
        kept: Sequence[Kept] = ()
        if block.kept != GONE:
            try:
                kept = unpack(block.kept)
            except ArenaError as error:
                wrong.append(Wrong(name, str(error)))
            if written.dropped not in {None, digests(kept) if written.dropped else None}:
                wrong.append(Wrong(name, "its records are not those whose hashes are kept"))
        wrong += self.block(block, written, kept, salt)
        told = (written.dropped or b"") if block.kept == GONE else digests(kept) if hashed else b""
        return Checked(
            tuple(wrong),
            min(len(kept), len(block.results)),
            block_digest(block, written, salt, told) if hashed else b"",
        )

    def block(
        self, block: Block, written: Written, kept: Sequence[Kept], salt: str
    ) -> Iterator[Wrong]:
        """What is wrong with a block and its games, as far as their records are there."""
        name = block.key.hex()[:DIGITS]
        planned: Sequence[Sequence[int]] = ()
        try:
            planned = self.planned(block, written, salt)
        except (ArenaError, ValueError) as error:
            yield Wrong(name, str(error))
        yield from (Wrong(name, wrong) for wrong in self.whole(block, written, kept))
        for turn in range(written.games):
            if turn not in written.turns or (block.kept != GONE and turn >= len(kept)):
                yield Wrong(game_id(block.key, turn), "it is missing")
        for turn, told in zip(written.turns, block.results, strict=True):
            seating = planned[turn] if 0 <= turn < len(planned) else told.seating
            if not 0 <= turn < written.games:
                found = iter((f"its block should have {written.games} games only",))
            elif turn < len(kept):
                found = self.game(block, told, kept[turn].record, seating, turn)
            else:
                found = self.rows(block, told, seating)
            if wrong := next(found, None):
                yield Wrong(game_id(block.key, turn), wrong)

    def whole(self, block: Block, written: Written, kept: Sequence[Kept]) -> Iterator[str]:
        """What is wrong with a block as a whole."""
        if block.kept != GONE and len(kept) != written.games:
            yield f"{written.games} games should be kept, and {len(kept)} are"
        if len(block.bots) != block.seats:
            yield f"{len(block.bots)} bots are listed at a table of {block.seats}"
            return
        if written.places != tuple(range(block.seats)):
            yield f"its bots are listed at places {written.places}"
        if len(written.turns) != written.games or not seated(block):
            return
        if entries(block.results, block.seats) != written.entries:
            yield "what its bots have come to is not the sum of its games"
        if block.kept == GONE:
            if not self.faults_fit(block, written):
                yield "the faults that are listed are not those that its games have"
            return
        told = tuple(
            (turn, number, one.seat, bot.name, one.fault, one.text, one.place)
            for turn, game in enumerate(kept)
            for number, one in enumerate(game.record.faults)
            for bot in game.record.bots[one.seat : one.seat + 1]
        )
        if told != written.faults:
            yield "the faults that are listed are not those of its games"

    def faults_fit(self, block: Block, written: Written) -> bool:
        """Whether the listed faults are as many as the games have, and of the bots in the seats."""
        counted = Counter((turn, seat) for turn, _, seat, *_ in written.faults)
        results = dict(zip(written.turns, block.results, strict=True))
        games = {
            (turn, seat): faults
            for turn, told in results.items()
            for seat, faults in enumerate(told.faults)
            if faults
        }
        numbers = Counter[int]()
        for turn, number, seat, bot, kind, _, place in written.faults:
            if counted[turn, seat] != games.get((turn, seat)) or number != numbers[turn]:
                return False
            numbers[turn] += 1
            if block.bots[results[turn].seating[seat]] != bot:
                return False
            if kind not in get_args(FaultKind) or (place or 0) < 0:
                return False
        return counted == games

    def planned(self, block: Block, written: Written, salt: str) -> Sequence[Sequence[int]]:
        """The seatings that the seed gives to a block; raise if its deal or key is another."""
        cell = Cell(block.variant, block.seats)
        drawn = self.drawing(salt, cell, block.bots).block(block.number)
        seatings = drawn.seatings
        if drawn.seed != block.seed:
            raise ArenaError(f"its deal is {block.seed}, but the seed makes it {drawn.seed}")
        if drawn.key != block.key:
            raise ArenaError(
                f"its key is {block.key.hex()}, but what it is makes it {drawn.key.hex()}"
            )
        if written.games != len(seatings):
            raise ArenaError(f"it has {written.games} games, its design {len(seatings)}")
        return seatings

    def game(
        self, block: Block, told: Result, game: Record, planned: Sequence[int], turn: int
    ) -> Iterator[str]:
        """What is wrong with a game; only the first thing may be asked for."""
        try:
            seats = verify(game)
        except ArenaError as error:
            yield str(error)
            return
        yield from self.seating(block, told, planned)
        if (game.variant, game.seats, game.seed) != (block.variant, block.seats, block.seed):
            yield f"its record is of {game.variant} with {game.seats} seats, deal {game.seed}"
        names = [block.bots[place] for place in told.seating]
        if game.bots != tuple(Seated(name, self.versions.get(name, "")) for name in names):
            yield "in its record other bots sit there"
        if game.first or game.stopped:
            yield "in its record another seat begins, or it was broken off"
        if game.turn not in {0, turn}:  # it was not kept in earlier releases
            yield f"its record is of turn {game.turn}"
        found = result(told.seating, game, seats)
        for field in Result.__struct_fields__:
            again, listed = getattr(found, field), getattr(told, field)
            if again != listed:
                yield f"played again its {field} are {again}, listed are {listed}"

    def seating(self, block: Block, told: Result, planned: Sequence[int]) -> Iterator[str]:
        """What is wrong with who sits where in a game."""
        if told.seating != planned or sorted(planned) != list(range(len(block.bots))):
            yield f"its seating is {told.seating}, and its design has {planned}"

    def rows(self, block: Block, told: Result, planned: Sequence[int]) -> Iterator[str]:
        """What is wrong with a game that has no record; only the first thing may be asked for."""
        yield from self.seating(block, told, planned)
        for field in Result.__struct_fields__:
            if len(getattr(told, field)) != block.seats:
                yield f"its {field} are not those of {block.seats} seats"
        cell = Cell(block.variant, block.seats)
        if min((*told.faults, *told.cpu)) < 0:
            yield "a number of faults or a time is negative"
        try:
            game: Game[Any] = variant(cell.variant).game(cell.seats)
        except ArenaError as error:
            yield str(error)
            return
        if impossible := bounds_of(game).refuse(told.scores, told.decisions):
            yield impossible
        below = min(told.scores) - 1
        points = tuple(
            below if faults else score
            for faults, score in zip(told.faults, told.scores, strict=True)
        )
        if points != told.points:
            yield f"its scores and faults make its points {points}, listed are {told.points}"
        if not ranks_fit(told, exact=game.decisive):
            yield f"ranks of {told.ranks} do not follow from its scores and faults"

    def aside(self, block: Block, aside: Aside, salt: str) -> Iterator[Wrong]:
        """What is wrong with another result of a block, which was put aside."""
        name = f"{block.key.hex()[:DIGITS]}, put aside"
        try:
            kept = unpack(aside.kept)
            planned = self.drawing(salt, Cell(block.variant, block.seats), block.bots)
            seatings = planned.block(block.number).seatings
        except (ArenaError, ValueError) as error:
            yield Wrong(name, str(error))
            return
        if not len(kept) == len(aside.results) == len(seatings):
            yield Wrong(name, f"it has {len(kept)} games, its design {len(seatings)}")
        if outcome(aside.results) == outcome(block.results):
            yield Wrong(name, "it is no other result than that which counts")
        games = zip(aside.results, kept, seatings, strict=False)
        for turn, (told, game, seating) in enumerate(games):
            if wrong := next(self.game(block, told, game.record, seating, turn), None):
                yield Wrong(name, wrong)


@cache
def bounds_of(game: Game[Any]) -> Bounds:
    """The bounds of a game's scores."""
    return game.bounds()


def ranks_fit(told: Result, *, exact: bool) -> bool:
    """Whether the ranks follow from scores and faults; if not exact, equal scores may differ."""
    own = [(not faults, score) for faults, score in zip(told.faults, told.scores, strict=True)]
    if exact:
        return told.ranks == tuple(1 + sum(other > one for other in own) for one in own)
    if told.ranks != tuple(1 + sum(other < one for other in told.ranks) for one in told.ranks):
        return False
    by_rank = sorted(zip(told.ranks, own, strict=True), key=lambda pair: pair[0])
    return [one for _, one in by_rank] == sorted(own, reverse=True) and all(
        one == other for rank, one in by_rank for again, other in by_rank if rank == again
    )


def seated(block: Block) -> bool:
    """Whether everybody has a seat in every game, and so has results."""
    places = list(range(block.seats))
    return all(
        sorted(one.seating) == places
        and {block.seats} == {len(getattr(one, field)) for field in Result.__struct_fields__}
        for one in block.results
    )
