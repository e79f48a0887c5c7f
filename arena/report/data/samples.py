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
"""Best games, and worst games, of each bot."""
MAX_SAMPLED_GAMES = 1500
"""Games that are replayed, which takes seconds; keys are hashes, so the first are random."""
MAX_NOTES = 12
"""Notes of each bot."""
MAX_NOTES_PER_GAME = 2
"""Notes of a bot in one game."""


class ExtremeGame(NamedTuple):
    """A game in which a bot scored very well or badly."""

    deviations: float
    """Standard deviations above the mean of its table, so that variants can be compared."""
    game: str
    cell: Cell
    seat: int
    points: int
    points_above_mean: float
    """Of the table."""


def extreme_games(seatings: SeatedGames, keys: list[bytes], bots: int) -> list[list[ExtremeGame]]:
    """Select the best and the worst games of each bot in a cell, the best first."""
    games, seats = seatings.bot_indices.shape
    above_mean = centre_rows(seatings.points)
    scale = max(float(above_mean.std()), 1e-9) if games else 1.0
    turn = np.arange(games) - np.searchsorted(seatings.block, seatings.block)
    flat_above, bot_indices = above_mean.ravel(), seatings.bot_indices.ravel()
    order = np.lexsort((flat_above, bot_indices))
    ends = np.cumsum(np.bincount(bot_indices, minlength=bots))

    def extreme_game(index: int) -> ExtremeGame:
        game, seat = divmod(index, seats)
        return ExtremeGame(
            flat_above[index] / scale,
            game_id(keys[seatings.block[game]], int(turn[game])),
            seatings.cell,
            seat,
            int(seatings.points[game, seat]),
            float(flat_above[index]),
        )

    games_by_bot = []
    for bot in range(bots):
        indices = order[ends[bot - 1] if bot else 0 : ends[bot]][::-1]
        selected = (
            indices
            if len(indices) <= 2 * MAX_EXTREME_GAMES
            else np.concatenate([indices[:MAX_EXTREME_GAMES], indices[-MAX_EXTREME_GAMES:]])
        )
        games_by_bot.append([extreme_game(int(index)) for index in selected])
    return games_by_bot


def best_games(games: list[ExtremeGame]) -> list[ExtremeGame]:
    """The best of a bot's extreme games."""
    return sorted((one for one in games if one.points_above_mean > 0), reverse=True)[
        :MAX_EXTREME_GAMES
    ]


def worst_games(games: list[ExtremeGame]) -> list[ExtremeGame]:
    """The worst of a bot's extreme games."""
    return sorted(one for one in games if one.points_above_mean < 0)[:MAX_EXTREME_GAMES]


class BotNote(NamedTuple):
    """The note that a bot wrote with a choice."""

    game: str
    variant: str
    seat: int
    place: int
    """The index of the choice in the record."""
    choice: str
    text: str


@dataclass(frozen=True)
class GameSample:
    """Decision times and notes of each bot in a sample of games."""

    games: int
    decision_times: Mapping[str, DecisionTimes]
    """CPU time of decisions."""
    games_by_bot: Mapping[str, int]
    """Games of each bot in the sample."""
    notes: Mapping[str, tuple[BotNote, ...]]
    note_counts: Mapping[str, int]
    """How many notes each bot has written in these games."""


def sample_games(run: Run, max_games: int = MAX_SAMPLED_GAMES) -> GameSample:
    """Replay the first games by key, up to the end of the block that reaches the limit."""
    times: dict[str, list[int]] = {bot.name: [] for bot in run.header.bots}
    games_by_bot, note_counts = dict.fromkeys(times, 0), dict.fromkeys(times, 0)
    notes: dict[str, list[BotNote]] = {name: [] for name in times}
    games = 0
    for game, record, seats in read_games(run, max_games):
        games += 1
        names = [bot.name for bot in record.bots]
        for name in names:
            games_by_bot[name] += 1
        for seat, cpu in zip(seats, record.cpu, strict=True):
            times[names[seat]].append(cpu)
        for place, text in record.notes.items():
            name = names[seats[place]]
            note_counts[name] += 1
            if (
                len(notes[name]) < MAX_NOTES
                and sum(one.game == game for one in notes[name]) < MAX_NOTES_PER_GAME
            ):
                choice = record.choices[place]
                note = BotNote(game, record.variant, seats[place], place, choice, text)
                notes[name].append(note)
    return GameSample(
        games=games,
        decision_times={name: decision_times(own) for name, own in times.items()},
        games_by_bot=games_by_bot,
        notes={name: tuple(own) for name, own in notes.items()},
        note_counts=note_counts,
    )


def read_games(run: Run, max_games: int) -> Iterator[tuple[str, Record, list[int]]]:
    """Read games with their ids and the seat of each choice.

    Blocks that cannot be read are skipped; `arena verify` reports them.
    """
    known = {bot.name for bot in run.header.bots}
    count = 0
    for key in run.sorted_keys():
        if count >= max_games:
            return
        try:
            games = [game.record for game in unpack_games(run.block(key).packed_games)]
            seats = [choice_seats(record, known) for record in games]
        except ArenaError:
            continue
        for turn, (record, own_seats) in enumerate(zip(games, seats, strict=True)):
            count += 1
            yield game_id(key, turn), record, own_seats


def choice_seats(record: Record, known: Set[str]) -> list[int]:
    """The seat of each choice; raises an error if the record is incomplete."""
    check_metadata(record)
    seats = list(deciders(record))
    if len(seats) != len(record.choices) or not known >= {bot.name for bot in record.bots}:
        raise BadRecord("its choices or its bots are not those of a game of this run")
    return seats
