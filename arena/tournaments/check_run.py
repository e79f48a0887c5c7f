"""Proof that a block is what it says: its games played again, its deal drawn again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.digest import is_same_version
from arena.errors import ArenaError
from arena.games.base import Bounds, Game
from arena.games.catalog import variant
from arena.protocol.messages import PROTOCOL_VERSION, FaultKind, Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.record import Record, Seated, verify_record
from arena.store.block import (
    DROPPED_RECORDS,
    GameResult,
    PlayedBlock,
    StoredGame,
    game_result,
    unpack_games,
)
from arena.store.hashes import block_digest, record_digests
from arena.store.header import RunHeader
from arena.store.reading import BlockRows, ContradictingResult
from arena.store.search import ID_DIGITS, game_id
from arena.store.writing import block_entries, comparable_results
from arena.tournaments.config.keys import FaultKeys, StopKeys, TableKeys
from arena.tournaments.deals import add_salt, commitment, terms_key
from arena.tournaments.plan.blocks import BlockFactory
from arena.tournaments.seatings import Design


class Mismatch(Struct, frozen=True):
    """Something that is not as it is written down."""

    where: str
    """The id of a game, or that of a block without a turn."""
    error: str


class RunSettings(Struct, frozen=True):
    """The settings of a run that decide what it plays: deals, tables, seatings and keys."""

    protocol: int
    cells: tuple[tuple[str, int], ...]
    bots: dict[str, str]
    deals: int
    seating: Design
    tables: Literal["all", "adaptive"] | TableKeys
    chunk: int
    clock: Limits | Literal["none"]
    faults: FaultKeys
    games: int
    anonymous: bool
    sandbox: str
    stop: StopKeys | None = None
    seed: str | None = None

    @property
    def terms(self) -> RefereeConfig:
        """The terms the games were played on."""
        return RefereeConfig(
            limits=self.clock if isinstance(self.clock, Limits) else None,
            policy=self.faults.policy,
            retire=self.faults.retire,
            games=self.games,
            anonymous=self.anonymous,
        )


class BlockCheck(Struct, frozen=True):
    """What was found in a block."""

    wrong: tuple[Mismatch, ...]
    replayed: int
    """Games of it that could be played again."""
    digest: bytes = b""
    """The hash of all that the file says of it, if that was asked for."""


class RunChecker:
    """Checks the blocks of one run."""

    def __init__(self, header: RunHeader) -> None:
        self.header = header
        self.versions = {bot.name: bot.shown for bot in header.bots}
        try:
            self.settings = msgspec.convert(header.settings, RunSettings)
        except msgspec.ValidationError as error:
            raise ArenaError(
                f"what decides the deals of {header.name} is not written down: {error}"
            ) from error
        self.agreed_terms = terms_key(self.settings.terms, self.settings.sandbox)
        self.block_factory = lru_cache(maxsize=64)(self._block_factory)

    def _block_factory(self, salt: str, cell: Cell, table: tuple[str, ...]) -> BlockFactory:
        """What draws the deals of a table, and names its blocks."""
        bots = [Bot(name, self.versions.get(name, ""), (), Path()) for name in table]
        secret = add_salt(self.header.seed, salt)
        return BlockFactory(secret, cell, bots, self.agreed_terms, self.settings.seating)

    def run_errors(self) -> Iterator[str]:
        """What is wrong with the run as a whole."""
        bound = commitment(self.header.seed)
        if bound != self.header.commitment:
            yield f"the seed is not the one that {self.header.commitment} was a commitment to"
        if self.settings.seed not in {None, bound}:
            yield "the settings belong to another seed"
        if self.settings.protocol != PROTOCOL_VERSION:
            yield (
                f"it was played with protocol {self.settings.protocol}, and this is "
                f"{PROTOCOL_VERSION}"
            )
        listed = {bot.name: bot.version for bot in self.header.bots}
        told = self.settings.bots
        if told.keys() != listed.keys() or not all(
            is_same_version(told[name], version) for name, version in listed.items()
        ):
            yield "the settings name other bots or versions than are listed"

    def check_block(
        self, block: PlayedBlock, written: BlockRows, salt: str, *, with_digest: bool
    ) -> BlockCheck:
        """Check a block and its games; its session added the salt to the seed."""
        name = block.key.hex()[:ID_DIGITS]
        wrong: list[Mismatch] = []
        kept: Sequence[StoredGame] = ()
        if block.kept != DROPPED_RECORDS:
            try:
                kept = unpack_games(block.kept)
            except ArenaError as error:
                wrong.append(Mismatch(name, str(error)))
            if written.dropped not in {None, record_digests(kept) if written.dropped else None}:
                wrong.append(Mismatch(name, "its records are not those whose hashes are kept"))
        wrong += self.block_mismatches(block, written, kept, salt)
        told = (
            (written.dropped or b"")
            if block.kept == DROPPED_RECORDS
            else record_digests(kept)
            if with_digest
            else b""
        )
        return BlockCheck(
            tuple(wrong),
            min(len(kept), len(block.results)),
            block_digest(block, written, salt, told) if with_digest else b"",
        )

    def block_mismatches(
        self, block: PlayedBlock, written: BlockRows, kept: Sequence[StoredGame], salt: str
    ) -> Iterator[Mismatch]:
        """What is wrong with a block and its games, as far as their records are there."""
        name = block.key.hex()[:ID_DIGITS]
        planned: Sequence[Sequence[int]] = ()
        try:
            planned = self.planned_seatings(block, written, salt)
        except (ArenaError, ValueError) as error:
            yield Mismatch(name, str(error))
        yield from (Mismatch(name, wrong) for wrong in self.block_errors(block, written, kept))
        for turn in range(written.games):
            if turn not in written.turns or (block.kept != DROPPED_RECORDS and turn >= len(kept)):
                yield Mismatch(game_id(block.key, turn), "it is missing")
        for turn, told in zip(written.turns, block.results, strict=True):
            seating = planned[turn] if 0 <= turn < len(planned) else told.seating
            if not 0 <= turn < written.games:
                found = iter((f"its block should have {written.games} games only",))
            elif turn < len(kept):
                found = self.game_errors(block, told, kept[turn].record, seating, turn)
            else:
                found = self.unrecorded_game_errors(block, told, seating)
            if wrong := next(found, None):
                yield Mismatch(game_id(block.key, turn), wrong)

    def block_errors(
        self, block: PlayedBlock, written: BlockRows, kept: Sequence[StoredGame]
    ) -> Iterator[str]:
        """What is wrong with a block as a whole."""
        if block.kept != DROPPED_RECORDS and len(kept) != written.games:
            yield f"{written.games} games should be kept, and {len(kept)} are"
        if len(block.bots) != block.seats:
            yield f"{len(block.bots)} bots are listed at a table of {block.seats}"
            return
        if written.places != tuple(range(block.seats)):
            yield f"its bots are listed at places {written.places}"
        if len(written.turns) != written.games or not is_fully_seated(block):
            return
        if block_entries(block.results, block.seats) != written.entries:
            yield "what its bots have come to is not the sum of its games"
        if block.kept == DROPPED_RECORDS:
            if not self.is_fault_list_consistent(block, written):
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

    def is_fault_list_consistent(self, block: PlayedBlock, written: BlockRows) -> bool:
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

    def planned_seatings(
        self, block: PlayedBlock, written: BlockRows, salt: str
    ) -> Sequence[Sequence[int]]:
        """The seatings that the seed gives to a block; raise if its deal or key is another."""
        cell = Cell(block.variant, block.seats)
        drawn = self.block_factory(salt, cell, block.bots).block(block.number)
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

    def game_errors(
        self, block: PlayedBlock, told: GameResult, game: Record, planned: Sequence[int], turn: int
    ) -> Iterator[str]:
        """What is wrong with a game; only the first thing may be asked for."""
        try:
            seats = verify_record(game)
        except ArenaError as error:
            yield str(error)
            return
        yield from self.seating_errors(block, told, planned)
        if (game.variant, game.seats, game.seed) != (block.variant, block.seats, block.seed):
            yield f"its record is of {game.variant} with {game.seats} seats, deal {game.seed}"
        names = [block.bots[place] for place in told.seating]
        if game.bots != tuple(Seated(name, self.versions.get(name, "")) for name in names):
            yield "in its record other bots sit there"
        if game.first or game.stopped:
            yield "in its record another seat begins, or it was broken off"
        if game.turn not in {0, turn}:  # it was not kept in earlier releases
            yield f"its record is of turn {game.turn}"
        found = game_result(told.seating, game, seats)
        for field in GameResult.__struct_fields__:
            again, listed = getattr(found, field), getattr(told, field)
            if again != listed:
                yield f"played again its {field} are {again}, listed are {listed}"

    def seating_errors(
        self, block: PlayedBlock, told: GameResult, planned: Sequence[int]
    ) -> Iterator[str]:
        """What is wrong with who sits where in a game."""
        if told.seating != planned or sorted(planned) != list(range(len(block.bots))):
            yield f"its seating is {told.seating}, and its design has {planned}"

    def unrecorded_game_errors(
        self, block: PlayedBlock, told: GameResult, planned: Sequence[int]
    ) -> Iterator[str]:
        """What is wrong with a game that has no record; only the first thing may be asked for."""
        yield from self.seating_errors(block, told, planned)
        for field in GameResult.__struct_fields__:
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
        if impossible := score_bounds(game).find_violation(told.scores, told.decisions):
            yield impossible
        below = min(told.scores) - 1
        points = tuple(
            below if faults else score
            for faults, score in zip(told.faults, told.scores, strict=True)
        )
        if points != told.points:
            yield f"its scores and faults make its points {points}, listed are {told.points}"
        if not is_ranking_consistent(told, exact=game.scores_decide_ranks):
            yield f"ranks of {told.ranks} do not follow from its scores and faults"

    def contradiction_mismatches(
        self, block: PlayedBlock, aside: ContradictingResult, salt: str
    ) -> Iterator[Mismatch]:
        """What is wrong with another result of a block, which was put aside."""
        name = f"{block.key.hex()[:ID_DIGITS]}, put aside"
        try:
            kept = unpack_games(aside.kept)
            planned = self.block_factory(salt, Cell(block.variant, block.seats), block.bots)
            seatings = planned.block(block.number).seatings
        except (ArenaError, ValueError) as error:
            yield Mismatch(name, str(error))
            return
        if not len(kept) == len(aside.results) == len(seatings):
            yield Mismatch(name, f"it has {len(kept)} games, its design {len(seatings)}")
        if comparable_results(aside.results) == comparable_results(block.results):
            yield Mismatch(name, "it is no other result than that which counts")
        games = zip(aside.results, kept, seatings, strict=False)
        for turn, (told, game, seating) in enumerate(games):
            if wrong := next(self.game_errors(block, told, game.record, seating, turn), None):
                yield Mismatch(name, wrong)


@cache
def score_bounds(game: Game[Any]) -> Bounds:
    """The bounds of a game's scores."""
    return game.bounds()


def is_ranking_consistent(told: GameResult, *, exact: bool) -> bool:
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


def is_fully_seated(block: PlayedBlock) -> bool:
    """Whether everybody has a seat in every game, and so has results."""
    places = list(range(block.seats))
    return all(
        sorted(one.seating) == places
        and {block.seats} == {len(getattr(one, field)) for field in GameResult.__struct_fields__}
        for one in block.results
    )
