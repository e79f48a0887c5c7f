"""Check the blocks of a run: replay the games, draw deals and seatings again, compare results."""

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
from arena.referee.record import Record, SeatedBot, verify_record
from arena.store.block import (
    DROPPED_RECORDS,
    GameResult,
    PlayedBlock,
    StoredGame,
    game_result,
    points_of,
    unpack_games,
)
from arena.store.hashes import block_digest, record_digests
from arena.store.header import RunHeader
from arena.store.reading import BlockRows, ContradictingResult
from arena.store.search import game_id, short_key
from arena.store.writing import block_entries, comparable_results
from arena.tournaments.config.keys import FaultKeys, StopKeys, TableKeys
from arena.tournaments.deals import add_salt, block_key_settings, commitment
from arena.tournaments.plan.blocks import BlockFactory
from arena.tournaments.seatings import Design


class Mismatch(Struct, frozen=True):
    """Something that differs from what is stored."""

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
    def referee_config(self) -> RefereeConfig:
        """The referee's configuration for the games."""
        return RefereeConfig(
            limits=self.clock if isinstance(self.clock, Limits) else None,
            policy=self.faults.policy,
            max_faults=self.faults.retire,
            games_at_once=self.games,
            anonymous=self.anonymous,
        )


class BlockCheck(Struct, frozen=True):
    """The result of checking a block."""

    wrong: tuple[Mismatch, ...]
    replayed: int
    """Games that could be replayed."""
    digest: bytes = b""
    """The hash of all that is stored of it, if it was requested."""


class RunChecker:
    """Checks the blocks of one run."""

    def __init__(self, header: RunHeader) -> None:
        self.header = header
        self.versions = {bot.name: bot.short_version for bot in header.bots}
        try:
            self.settings = msgspec.convert(header.settings, RunSettings)
        except msgspec.ValidationError as error:
            raise ArenaError(
                f"what decides the deals of {header.name} is not written down: {error}"
            ) from error
        self.key_settings = block_key_settings(self.settings.referee_config, self.settings.sandbox)
        self.block_factory = lru_cache(maxsize=64)(self._block_factory)

    def _block_factory(self, salt: str, cell: Cell, table: tuple[str, ...]) -> BlockFactory:
        """The factory that makes the blocks of a table."""
        bots = [Bot(name, self.versions.get(name, ""), (), Path()) for name in table]
        secret = add_salt(self.header.seed, salt)
        return BlockFactory(secret, cell, bots, self.key_settings, self.settings.seating)

    def run_errors(self) -> Iterator[str]:
        """What is wrong with the run as a whole."""
        expected = commitment(self.header.seed)
        if expected != self.header.commitment:
            yield f"the seed is not the one that {self.header.commitment} was a commitment to"
        if self.settings.seed not in {None, expected}:
            yield "the settings belong to another seed"
        if self.settings.protocol != PROTOCOL_VERSION:
            yield (
                f"it was played with protocol {self.settings.protocol}, and this is "
                f"{PROTOCOL_VERSION}"
            )
        listed = {bot.name: bot.version for bot in self.header.bots}
        digests = self.settings.bots
        if digests.keys() != listed.keys() or not all(
            is_same_version(digests[name], version) for name, version in listed.items()
        ):
            yield "the settings name other bots or versions than are listed"

    def check_block(
        self, block: PlayedBlock, rows: BlockRows, salt: str, *, with_digest: bool
    ) -> BlockCheck:
        """Check a block and its games; its session added the salt to the seed."""
        block_id = short_key(block.key)
        wrong: list[Mismatch] = []
        games: Sequence[StoredGame] = ()
        if block.packed_games != DROPPED_RECORDS:
            try:
                games = unpack_games(block.packed_games)
            except ArenaError as error:
                wrong.append(Mismatch(block_id, str(error)))
            if rows.dropped is not None and rows.dropped != record_digests(games):
                wrong.append(
                    Mismatch(block_id, "its records do not have the hashes that are stored")
                )
        wrong += self.block_mismatches(block, rows, games, salt)
        digest = b""
        if with_digest:
            is_dropped = block.packed_games == DROPPED_RECORDS
            digests = rows.dropped or b"" if is_dropped else record_digests(games)
            digest = block_digest(block, rows, salt, digests)
        return BlockCheck(tuple(wrong), min(len(games), len(block.results)), digest)

    def block_mismatches(
        self, block: PlayedBlock, rows: BlockRows, games: Sequence[StoredGame], salt: str
    ) -> Iterator[Mismatch]:
        """What is wrong with a block and its games, as far as their records are there."""
        block_id = short_key(block.key)
        planned: Sequence[Sequence[int]] = ()
        try:
            planned = self.planned_seatings(block, rows, salt)
        except (ArenaError, ValueError) as error:
            yield Mismatch(block_id, str(error))
        for text in self.block_errors(block, rows, games):
            yield Mismatch(block_id, text)
        for turn in range(rows.games):
            if turn not in rows.turns or (
                block.packed_games != DROPPED_RECORDS and turn >= len(games)
            ):
                yield Mismatch(game_id(block.key, turn), "it is missing")
        for turn, result in zip(rows.turns, block.results, strict=True):
            seating = planned[turn] if 0 <= turn < len(planned) else result.seating
            if not 0 <= turn < rows.games:
                errors = iter((f"its block should have {rows.games} games only",))
            elif turn < len(games):
                errors = self.game_errors(block, result, games[turn].record, seating, turn)
            else:
                errors = self.unrecorded_game_errors(block, result, seating)
            if first_error := next(errors, None):
                yield Mismatch(game_id(block.key, turn), first_error)

    def block_errors(
        self, block: PlayedBlock, rows: BlockRows, games: Sequence[StoredGame]
    ) -> Iterator[str]:
        """What is wrong with a block as a whole."""
        if block.packed_games != DROPPED_RECORDS and len(games) != rows.games:
            yield f"{rows.games} games should be stored, and {len(games)} are"
        if len(block.bots) != block.seats:
            yield f"{len(block.bots)} bots are listed at a table of {block.seats}"
            return
        if rows.places != tuple(range(block.seats)):
            yield f"its bots are listed at places {rows.places}"
        if len(rows.turns) != rows.games or not is_fully_seated(block):
            return
        if block_entries(block.results, block.seats) != rows.entries:
            yield "what its bots have come to is not the sum of its games"
        if block.packed_games == DROPPED_RECORDS:
            if not self.is_fault_list_consistent(block, rows):
                yield "the faults that are listed are not those that its games have"
            return
        faults = tuple(
            (turn, number, fault.seat, bot.name, fault.fault, fault.text, fault.place)
            for turn, game in enumerate(games)
            for number, fault in enumerate(game.record.faults)
            for bot in game.record.bots[fault.seat : fault.seat + 1]
        )
        if faults != rows.faults:
            yield "the faults that are listed are not those of its games"

    def is_fault_list_consistent(self, block: PlayedBlock, rows: BlockRows) -> bool:
        """Whether the listed faults are as many as the games have, and of the bots in the seats."""
        counted = Counter((turn, seat) for turn, _, seat, *_ in rows.faults)
        results = dict(zip(rows.turns, block.results, strict=True))
        games = {
            (turn, seat): faults
            for turn, result in results.items()
            for seat, faults in enumerate(result.faults)
            if faults
        }
        numbers = Counter[int]()
        for turn, number, seat, bot, kind, _, place in rows.faults:
            if counted[turn, seat] != games.get((turn, seat)) or number != numbers[turn]:
                return False
            numbers[turn] += 1
            if block.bots[results[turn].seating[seat]] != bot:
                return False
            if kind not in get_args(FaultKind) or (place or 0) < 0:
                return False
        return counted == games

    def planned_seatings(
        self, block: PlayedBlock, rows: BlockRows, salt: str
    ) -> Sequence[Sequence[int]]:
        """The seatings that the seed gives to a block; raise if its deal or key is another."""
        cell = Cell(block.variant, block.seats)
        planned = self.block_factory(salt, cell, block.bots).block(block.number)
        if planned.seed != block.seed:
            raise ArenaError(f"its deal is {block.seed}, but the seed makes it {planned.seed}")
        if planned.key != block.key:
            raise ArenaError(
                f"its key is {block.key.hex()}, but what it is makes it {planned.key.hex()}"
            )
        if rows.games != len(planned.seatings):
            raise ArenaError(f"it has {rows.games} games, its design {len(planned.seatings)}")
        return planned.seatings

    def game_errors(
        self,
        block: PlayedBlock,
        result: GameResult,
        record: Record,
        planned: Sequence[int],
        turn: int,
    ) -> Iterator[str]:
        """What is wrong with a game; only the first thing may be asked for."""
        try:
            deciders = verify_record(record)
        except ArenaError as error:
            yield str(error)
            return
        yield from self.seating_errors(block, result, planned)
        if (record.variant, record.seats, record.seed) != (block.variant, block.seats, block.seed):
            yield f"its record is of {record.variant} with {record.seats} seats, deal {record.seed}"
        names = [block.bots[place] for place in result.seating]
        if record.bots != tuple(SeatedBot(name, self.versions.get(name, "")) for name in names):
            yield "in its record other bots sit there"
        if record.first or record.stopped:
            yield "in its record another seat begins, or it was broken off"
        if record.turn not in {0, turn}:  # it was not kept in earlier releases
            yield f"its record is of turn {record.turn}"
        replayed = game_result(result.seating, record, deciders)
        for field in GameResult.__struct_fields__:
            again, listed = getattr(replayed, field), getattr(result, field)
            if again != listed:
                yield f"played again its {field} are {again}, listed are {listed}"

    def seating_errors(
        self, block: PlayedBlock, result: GameResult, planned: Sequence[int]
    ) -> Iterator[str]:
        """What is wrong with the seating of a game."""
        if result.seating != planned or sorted(planned) != list(range(len(block.bots))):
            yield f"its seating is {result.seating}, and its design has {planned}"

    def unrecorded_game_errors(
        self, block: PlayedBlock, result: GameResult, planned: Sequence[int]
    ) -> Iterator[str]:
        """What is wrong with a game that has no record; only the first thing may be asked for."""
        yield from self.seating_errors(block, result, planned)
        for field in GameResult.__struct_fields__:
            if len(getattr(result, field)) != block.seats:
                yield f"its {field} are not those of {block.seats} seats"
        cell = Cell(block.variant, block.seats)
        if min((*result.faults, *result.cpu)) < 0:
            yield "a number of faults or a time is negative"
        try:
            game: Game[Any] = variant(cell.variant).game(cell.seats)
        except ArenaError as error:
            yield str(error)
            return
        if impossible := score_bounds(game).find_violation(result.scores, result.decisions):
            yield impossible
        points = points_of(result.scores, result.faults)
        if points != result.points:
            yield f"its scores and faults make its points {points}, listed are {result.points}"
        if not is_ranking_consistent(result, exact=game.scores_decide_ranks):
            yield f"ranks of {result.ranks} do not follow from its scores and faults"

    def contradiction_mismatches(
        self, block: PlayedBlock, aside: ContradictingResult, salt: str
    ) -> Iterator[Mismatch]:
        """What is wrong with another result of a block, which was put aside."""
        name = f"{short_key(block.key)}, put aside"
        try:
            games = unpack_games(aside.packed_games)
            factory = self.block_factory(salt, Cell(block.variant, block.seats), block.bots)
            seatings = factory.block(block.number).seatings
        except (ArenaError, ValueError) as error:
            yield Mismatch(name, str(error))
            return
        if not len(games) == len(aside.results) == len(seatings):
            yield Mismatch(name, f"it has {len(games)} games, its design {len(seatings)}")
        if comparable_results(aside.results) == comparable_results(block.results):
            yield Mismatch(name, "it is no other result than that which counts")
        played = zip(aside.results, games, seatings, strict=False)
        for turn, (result, game, seating) in enumerate(played):
            errors = self.game_errors(block, result, game.record, seating, turn)
            if first_error := next(errors, None):
                yield Mismatch(name, first_error)


@cache
def score_bounds(game: Game[Any]) -> Bounds:
    """The bounds of a game's scores."""
    return game.bounds()


def is_ranking_consistent(result: GameResult, *, exact: bool) -> bool:
    """Whether the ranks follow from scores and faults; if not exact, equal scores may differ."""
    own = [(not faults, score) for faults, score in zip(result.faults, result.scores, strict=True)]
    if exact:
        return result.ranks == tuple(1 + sum(other > one for other in own) for one in own)
    if result.ranks != tuple(
        1 + sum(other < one for other in result.ranks) for one in result.ranks
    ):
        return False
    by_rank = sorted(zip(result.ranks, own, strict=True), key=lambda pair: pair[0])
    return [one for _, one in by_rank] == sorted(own, reverse=True) and all(
        one == other for rank, one in by_rank for again, other in by_rank if rank == again
    )


def is_fully_seated(block: PlayedBlock) -> bool:
    """Whether every bot has a seat in every game, and every seat has results."""
    places = list(range(block.seats))
    return all(
        sorted(result.seating) == places
        and {len(getattr(result, field)) for field in GameResult.__struct_fields__} == {block.seats}
        for result in block.results
    )
