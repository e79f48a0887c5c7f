"""Records for tests: games with random choices, and with the faults and notes of a test."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from arena.games.base import Decision
from arena.games.catalog import variant
from arena.games.replay import play_game, replay_game
from arena.referee.faults import FATAL_FAULTS, Fault
from arena.referee.record import Record, SeatedBot, rank_seats

NAMES = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal")


def random_record(
    name: str,
    seats: int,
    *,
    seed: int = 1,
    names: Sequence[str] = NAMES,
    faults: tuple[Fault, ...] = (),
    notes: Mapping[int, str] | None = None,
) -> Record:
    """Return the record of a random game with faults; after a fatal one the bot is not asked."""
    game, chance = variant(name).game(seats), random.Random(seed)

    def choose(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        return [chance.choice(decision.options) for decision in decisions]

    played = play_game(game, seed, choose)
    steps = list(replay_game(played))[1:]
    asked = [decision.seat for step in steps for decision in game.pending(step.before)]
    wall = [80] * len(asked)
    for fault in faults:
        for place, seat in enumerate(asked):
            out = fault.fault in FATAL_FAULTS and seat == fault.seat and place > (fault.place or -1)
            if out or place == fault.place:
                wall[place] = 0
    return Record(
        variant=game.variant,
        seats=seats,
        seed=seed,
        choices=played.choices,
        bots=tuple(SeatedBot(name, "1") for name in names[:seats]),
        scores=game.scores(steps[-1].after),
        ranks=rank_seats(game, steps[-1].after, faults),
        wall=tuple(wall),
        cpu=(50,) * len(wall),
        faults=faults,
        notes=dict(notes or {}),
    )


def write_records(file: Path, *records: Record) -> Path:
    """Write records into a file."""
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return file
