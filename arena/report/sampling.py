"""A sample of a run's games, looked at choice by choice: how long bots think, what they note."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from arena.errors import ArenaError, BadRecord
from arena.match.record import Record, check_marginals, deciders
from arena.report.plots.durations import Times, times
from arena.store.block import unpack
from arena.store.listing import game_id
from arena.store.run import Run

GAMES = 1500
"""So many are replayed, which takes some seconds; keys are hashes, so the first are chance."""
NOTES = 12
"""Notes that are kept of a bot."""
FROM_ONE = 2
"""Of them, at most so many of one game."""


class Note(NamedTuple):
    """What a bot remarked at a choice."""

    game: str
    variant: str
    seat: int
    place: int
    """Which of the game's choices."""
    choice: str
    text: str


@dataclass(frozen=True)
class Sample:
    """What some games tell, bot by bot."""

    games: int
    times: Mapping[str, Times]
    """CPU time of decisions."""
    seen: Mapping[str, int]
    """Games of each bot in the sample."""
    notes: Mapping[str, tuple[Note, ...]]
    noted: Mapping[str, int]
    """How many notes each bot has written in these games."""


def sample(run: Run, most: int = GAMES) -> Sample:
    """A sample of at most so many games and the rest of a block."""
    spent: dict[str, list[int]] = {bot.name: [] for bot in run.header.bots}
    seen, noted = dict.fromkeys(spent, 0), dict.fromkeys(spent, 0)
    notes: dict[str, list[Note]] = {name: [] for name in spent}
    games = 0
    for game, record, seats in chosen(run, most):
        games += 1
        names = [bot.name for bot in record.bots]
        for name in names:
            seen[name] += 1
        for seat, cpu in zip(seats, record.cpu, strict=True):
            spent[names[seat]].append(cpu)
        for place, text in record.notes.items():
            name = names[seats[place]]
            noted[name] += 1
            if len(notes[name]) < NOTES and sum(one.game == game for one in notes[name]) < FROM_ONE:
                choice = record.choices[place]
                told = Note(game, record.variant, seats[place], place, choice, text)
                notes[name].append(told)
    return Sample(
        games=games,
        times={name: times(every) for name, every in spent.items()},
        seen=seen,
        notes={name: tuple(own) for name, own in notes.items()},
        noted=noted,
    )


def chosen(run: Run, most: int) -> Iterator[tuple[str, Record, list[int]]]:
    """Games of some blocks, each with its id and the seat that made each choice.

    A block that cannot be read is for `arena verify` to tell.
    """
    known = {bot.name for bot in run.header.bots}
    count = 0
    for key in run.sorted_keys():
        if count >= most:
            return
        try:
            games = [game.record for game in unpack(run.block(key).kept)]
            seats = [seated(record, known) for record in games]
        except ArenaError:
            continue
        for turn, (record, own) in enumerate(zip(games, seats, strict=True)):
            count += 1
            yield game_id(key, turn), record, own


def seated(record: Record, known: Set[str]) -> list[int]:
    """The seat that made each choice; raises if the record is not whole."""
    check_marginals(record)
    seats = list(deciders(record))
    if len(seats) != len(record.choices) or not known >= {bot.name for bot in record.bots}:
        raise BadRecord("its choices or its bots are not those of a game of this run")
    return seats
