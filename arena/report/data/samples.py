"""The best and worst games of each bot, and decision times and notes from sampled games."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.errors import ArenaError, BadRecord
from arena.ratings.cell import Cell
from arena.ratings.points import centre_rows
from arena.ratings.results import SeatedGames
from arena.referee.record import Record, check_metadata, deciders
from arena.report.plots.scale import DecisionTimes, decision_times
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.store.search import game_id

MAX_EXTREME_GAMES = 5
"""Games of each kind that are kept of a bot."""


class ExtremeGame(NamedTuple):
    """A game that a bot did well or badly in."""

    deviations: float
    """How many deviations it is above the mean of its table, so that variants can be compared."""
    game: str
    cell: Cell
    seat: int
    points: int
    above: float
    """Points above the mean of the table."""


def extreme_games(seatings: SeatedGames, keys: list[bytes], bots: int) -> list[list[ExtremeGame]]:
    """For each bot its best games of a cell and its worst, the best first."""
    games, seats = seatings.who.shape
    above = centre_rows(seatings.points)
    scale = max(float(above.std()), 1e-9) if games else 1.0
    turn = np.arange(games) - np.searchsorted(seatings.block, seatings.block)
    flat, who = above.ravel(), seatings.who.ravel()
    order = np.lexsort((flat, who))
    ends = np.cumsum(np.bincount(who, minlength=bots))

    def tell(place: int) -> ExtremeGame:
        game, seat = divmod(place, seats)
        return ExtremeGame(
            flat[place] / scale,
            game_id(keys[seatings.block[game]], int(turn[game])),
            seatings.cell,
            seat,
            int(seatings.points[game, seat]),
            float(flat[place]),
        )

    found = []
    for bot in range(bots):
        own = order[ends[bot - 1] if bot else 0 : ends[bot]][::-1]
        chosen = (
            own
            if len(own) <= 2 * MAX_EXTREME_GAMES
            else np.concatenate([own[:MAX_EXTREME_GAMES], own[-MAX_EXTREME_GAMES:]])
        )
        found.append([tell(int(place)) for place in chosen])
    return found


def best_games(found: list[ExtremeGame]) -> list[ExtremeGame]:
    """The best games of all cells."""
    return sorted((one for one in found if one.above > 0), reverse=True)[:MAX_EXTREME_GAMES]


def worst_games(found: list[ExtremeGame]) -> list[ExtremeGame]:
    """The worst games of all cells."""
    return sorted(one for one in found if one.above < 0)[:MAX_EXTREME_GAMES]


GAMES = 1500
"""So many are replayed, which takes some seconds; keys are hashes, so the first are chance."""
NOTES = 12
"""Notes that are kept of a bot."""
MAX_NOTES_PER_GAME = 2
"""Of them, at most so many of one game."""


class BotNote(NamedTuple):
    """What a bot remarked at a choice."""

    game: str
    variant: str
    seat: int
    place: int
    """Which of the game's choices."""
    choice: str
    text: str


@dataclass(frozen=True)
class GameSample:
    """What some games tell, bot by bot."""

    games: int
    decision_times: Mapping[str, DecisionTimes]
    """CPU time of decisions."""
    games_by_bot: Mapping[str, int]
    """Games of each bot in the sample."""
    notes: Mapping[str, tuple[BotNote, ...]]
    note_counts: Mapping[str, int]
    """How many notes each bot has written in these games."""


def sample_games(run: Run, max_games: int = GAMES) -> GameSample:
    """A sample of at most so many games and the rest of a block."""
    spent: dict[str, list[int]] = {bot.name: [] for bot in run.header.bots}
    seen, noted = dict.fromkeys(spent, 0), dict.fromkeys(spent, 0)
    notes: dict[str, list[BotNote]] = {name: [] for name in spent}
    games = 0
    for game, record, seats in read_games(run, max_games):
        games += 1
        names = [bot.name for bot in record.bots]
        for name in names:
            seen[name] += 1
        for seat, cpu in zip(seats, record.cpu, strict=True):
            spent[names[seat]].append(cpu)
        for place, text in record.notes.items():
            name = names[seats[place]]
            noted[name] += 1
            if (
                len(notes[name]) < NOTES
                and sum(one.game == game for one in notes[name]) < MAX_NOTES_PER_GAME
            ):
                choice = record.choices[place]
                told = BotNote(game, record.variant, seats[place], place, choice, text)
                notes[name].append(told)
    return GameSample(
        games=games,
        decision_times={name: decision_times(every) for name, every in spent.items()},
        games_by_bot=seen,
        notes={name: tuple(own) for name, own in notes.items()},
        note_counts=noted,
    )


def read_games(run: Run, max_games: int) -> Iterator[tuple[str, Record, list[int]]]:
    """Games of some blocks, each with its id and the seat that made each choice.

    A block that cannot be read is for `arena verify` to tell.
    """
    known = {bot.name for bot in run.header.bots}
    count = 0
    for key in run.sorted_keys():
        if count >= max_games:
            return
        try:
            games = [game.record for game in unpack_games(run.block(key).kept)]
            seats = [choice_seats(record, known) for record in games]
        except ArenaError:
            continue
        for turn, (record, own) in enumerate(zip(games, seats, strict=True)):
            count += 1
            yield game_id(key, turn), record, own


def choice_seats(record: Record, known: Set[str]) -> list[int]:
    """The seat that made each choice; raises if the record is not whole."""
    check_metadata(record)
    seats = list(deciders(record))
    if len(seats) != len(record.choices) or not known >= {bot.name for bot in record.bots}:
        raise BadRecord("its choices or its bots are not those of a game of this run")
    return seats
