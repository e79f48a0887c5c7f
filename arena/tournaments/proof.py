"""Proof that a block is what it says: its games played again, its deal drawn again."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.match.record import Record, Seated, deciders, verify
from arena.match.terms import Terms
from arena.protocol.messages import PROTOCOL, Limits
from arena.ratings.results import Cell
from arena.store.block import GONE, Block, Kept, Result, result, unpack
from arena.store.header import Header
from arena.store.keeping import entries
from arena.store.listing import DIGITS, game_id
from arena.store.reading import Written
from arena.tournaments.deals import commitment, salted, terms_key
from arena.tournaments.designs import Design
from arena.tournaments.drawing import Drawing
from arena.tournaments.keys import Faults


class Wrong(Struct, frozen=True):
    """Something that is not as it is written down."""

    where: str
    """The id of a game, or that of a block without a turn."""
    error: str


class Settings(Struct, frozen=True):
    """Those settings of a run that decide its deals, its seatings and its keys."""

    protocol: int
    seating: Design
    clock: Limits | Literal["none"]
    faults: Faults
    games: int
    anonymous: bool
    sandbox: str

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
        if self.header.settings.get("seed") not in {None, bound}:
            yield "the settings belong to another seed"
        if self.settings.protocol != PROTOCOL:
            yield f"it was played with protocol {self.settings.protocol}, and this is {PROTOCOL}"

    def block(self, block: Block, written: Written, salt: str = "") -> Iterator[Wrong]:
        """What is wrong with a block and its games; its sitting added the salt to the seed."""
        name = block.key.hex()[:DIGITS]
        kept: Sequence[Kept] | None = None  # dropped, as a ladder does with old ones
        if block.kept != GONE:
            try:
                kept = unpack(block.kept)
            except ArenaError as error:
                yield Wrong(name, str(error))
                kept = ()
        planned: Sequence[Sequence[int]] = ()
        try:
            planned = self.planned(block, salt)
        except (ArenaError, ValueError) as error:
            yield Wrong(name, str(error))
        yield from (Wrong(name, wrong) for wrong in self.whole(block, written, kept))
        for turn in range(written.games):
            if turn not in written.turns or (kept is not None and turn >= len(kept)):
                yield Wrong(game_id(block.key, turn), "it is missing")
        for turn, told in zip(written.turns, block.results, strict=True):
            if kept is not None and turn < len(kept):
                seating = planned[turn] if turn < len(planned) else told.seating
                wrong = self.game(block, told, kept[turn].record, seating)
                if wrong:
                    yield Wrong(game_id(block.key, turn), wrong)

    def whole(self, block: Block, written: Written, kept: Sequence[Kept] | None) -> Iterator[str]:
        """What is wrong with a block as a whole."""
        if kept is not None and len(kept) != written.games:
            yield f"{written.games} games should be kept, and {len(kept)} are"
        if len(block.bots) != block.seats:
            yield f"{len(block.bots)} bots are listed at a table of {block.seats}"
        elif len(written.turns) == written.games and seated(block):
            if entries(block.results, block.seats) != written.entries:
                yield "what its bots have come to is not the sum of its games"
            if kept is None:
                return
            told = tuple(
                (turn, one.seat, game.record.bots[one.seat].name, one.fault, one.text, one.place)
                for turn, game in enumerate(kept)
                for one in game.record.faults
            )
            if told != written.faults:
                yield "the faults that are listed are not those of its games"

    def planned(self, block: Block, salt: str) -> Sequence[Sequence[int]]:
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
        if len(block.results) > len(seatings):
            raise ArenaError(f"it has {len(block.results)} games, its design {len(seatings)}")
        return seatings

    def game(self, block: Block, told: Result, game: Record, planned: Sequence[int]) -> str | None:
        """What is wrong with a game, the first thing that is; None if it is as it should be."""
        try:
            verify(game)
        except ArenaError as error:
            return str(error)
        if told.seating != planned or sorted(planned) != list(range(len(block.bots))):
            return f"its seating is {told.seating}, and its design has {planned}"
        if (game.variant, game.seats, game.seed) != (block.variant, block.seats, block.seed):
            return f"its record is of {game.variant} with {game.seats} seats, deal {game.seed}"
        names = [block.bots[place] for place in told.seating]
        if game.bots != tuple(Seated(name, self.versions.get(name, "")) for name in names):
            return "in its record other bots sit there"
        found = result(told.seating, game, list(deciders(game)))
        for field in Result.__struct_fields__:
            again, listed = getattr(found, field), getattr(told, field)
            if again != listed:
                return f"played again its {field} are {again}, listed are {listed}"
        return None


def seated(block: Block) -> bool:
    """Whether everybody has a seat in every game, and so has results."""
    places = list(range(block.seats))
    return all(
        sorted(one.seating) == places
        and {block.seats} == {len(getattr(one, field)) for field in Result.__struct_fields__}
        for one in block.results
    )
