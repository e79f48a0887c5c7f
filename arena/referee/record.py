"""The record of a game, and its verification by replay."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from arena.errors import ArenaError, BadRecord
from arena.games import replay
from arena.games.base import Game
from arena.referee.faults import Fault
from arena.sanitize import to_json


class SeatedBot(Struct, frozen=True):
    """A bot in its seat."""

    name: str
    version: str
    """The digits of its digest that people are shown."""


class Record(replay.GameRecord, frozen=True, kw_only=True, omit_defaults=True):
    """A game between bots: seed, choices, and what a replay cannot reproduce."""

    bots: tuple[SeatedBot, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    """By the rules, but seats at fault come after all others."""
    wall: tuple[int, ...]
    """Microseconds for each choice; 0 where no bot was asked."""
    cpu: tuple[int, ...]
    """Microseconds of CPU time for each choice."""
    faults: tuple[Fault, ...] = ()
    notes: dict[int, str] = field(default_factory=dict)
    """What bots remarked, by the place of the choice."""
    stale: tuple[int, ...] = ()
    """Answers to questions already settled, by seat; absent if there were none."""
    stopped: bool = False
    """The game was broken off at its last fault."""
    turn: int = 0
    """How often its block had played the deal before; part of the seed that bots are told."""


class GameStopped(Exception):
    """Stops a game at a fault under the policy `strict`; has its record so far and its stderr."""

    def __init__(self, fault: Fault, record: Record, stderr: tuple[str, ...]) -> None:
        super().__init__(fault.text)
        self.fault = fault
        self.record = record
        self.stderr = stderr


def rank_seats(game: Game[Any], state: Any, faults: Sequence[Fault]) -> tuple[int, ...]:
    """Rank the seats by the rules, but those at fault after all others."""
    seats_at_fault = {fault.seat for fault in faults}
    standing = [
        (seat not in seats_at_fault, own) for seat, own in enumerate(game.ranking_keys(state))
    ]
    return tuple(1 + sum(other > own for other in standing) for own in standing)


def verify_record(record: Record) -> list[int]:
    """Replay a record and raise an error if its results differ; return the seat of each choice."""
    seats: list[int] = []
    for last in replay_steps(record):
        seats += deciding_seats(last)
    scores = last.game.scores(last.after)
    if scores != record.scores:
        raise BadRecord(f"replayed, the scores are {scores}; recorded are {record.scores}")
    found = rank_seats(last.game, last.after, record.faults)
    if found != record.ranks:
        raise BadRecord(f"replayed, the ranks are {found}; recorded are {record.ranks}")
    if record.stopped and not last.game.pending(last.after):
        raise BadRecord("it is marked as stopped, but it is complete")
    check_metadata(record)
    return seats


def check_metadata(record: Record) -> None:
    """Raise an error if times, faults or notes do not fit the game."""
    count = len(record.choices)
    if not len(record.wall) == len(record.cpu) == count:
        raise BadRecord(f"there are {count} choices, but times for {len(record.wall)}")
    if min((*record.wall, *record.cpu), default=0) < 0:
        raise BadRecord("a time is negative")
    if len(record.bots) != record.seats:
        raise BadRecord(f"{len(record.bots)} bots in {record.seats} seats")
    if len(record.stale) not in {0, record.seats}:
        raise BadRecord(f"stale answers of {len(record.stale)} in {record.seats} seats")
    for fault in record.faults:
        if not 0 <= fault.seat < record.seats or not 0 <= (fault.place or 0) <= count:
            raise BadRecord(f"a fault in seat {fault.seat} at choice {fault.place}")
    for place in record.notes:
        if not 0 <= place < count:
            raise BadRecord(f"a note at choice {place}")


def replay_steps(record: Record) -> Iterator[replay.Step]:
    """Replay a record step by step, up to where it was stopped."""
    try:
        yield from replay.replay_game(record)
    except replay.IncompleteReplay:
        if not record.stopped:
            raise


def deciders(record: Record) -> Iterator[int]:
    """The seat that made each choice."""
    for step in replay_steps(record):
        yield from deciding_seats(step)


def deciding_seats(step: replay.Step) -> list[int]:
    """The seats that made the choices of a step."""
    if step.before is None:
        return []
    return [decision.seat for decision in step.game.pending(step.before)]


def load_records(file: Path) -> Iterator[Record]:
    """Load the records in a file, one on each line."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise BadRecord(f"{file}: {error.strerror}") from error
    if not any(line.strip() for line in lines):
        raise BadRecord(f"{file}: it is empty")
    if lines[0].strip() == b"{":  # one record over many lines, as people print JSON
        lines = [b"".join(lines)]
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadRecord(f"{file}: line {number} is not a record of a game: {error}") from error


def check_folder(file: Path) -> None:
    """Raise an error if the folder of a record to write does not exist."""
    if not file.absolute().parent.is_dir():
        raise ArenaError(f"{file}: there is no folder {file.parent}; make it first")


def write_record(file: Path, record: Record) -> None:
    """Write a record into a file, which is replaced if it exists."""
    try:
        file.write_text(to_json(record) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{file}: the record cannot be written: {error.strerror}") from error


def error_in_game(file: Path, number: int, error: ArenaError) -> BadRecord:
    """Return the error with the file and the number of the game."""
    return BadRecord(f"{file}: game {number}: {error}")
