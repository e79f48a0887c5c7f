"""The best and the worst games of a bot are found among all."""

from itertools import groupby

import pytest
from hypothesis import given

from arena.ratings.cell import Cell
from arena.ratings.results import SeatedGames
from arena.report.data.samples import (
    MAX_EXTREME_GAMES,
    ExtremeGame,
    best_games,
    extreme_games,
    worst_games,
)
from tests.ratings.example_results import PlayedGames, any_games

BOTS = 6


def keys(count: int) -> list[bytes]:
    return [bytes([number] * 16) for number in range(count)]


def every(seatings: SeatedGames) -> list[tuple[int, str, int, int, float]]:
    """Of each seat of each game the bot, the game's id, the seat, the points, and the distance."""
    found = []
    rows = range(len(seatings.bot_indices))
    for block, own in groupby(rows, lambda row: int(seatings.block[row])):
        for turn, row in enumerate(own):
            points = seatings.points[row].tolist()
            mean = sum(points) / len(points)
            for seat, bot in enumerate(seatings.bot_indices[row].tolist()):
                id_ = f"{block:02x}" * 5 + f"-{turn}"
                found.append((bot, id_, seat, int(points[seat]), points[seat] - mean))
    return found


@given(any_games(BOTS))
def test_against_all_of_them(generated: tuple[SeatedGames, list[PlayedGames]]) -> None:
    seatings, blocks = generated
    found = extreme_games(seatings, keys(len(blocks)), BOTS)
    assert len(found) == BOTS
    for bot, told in enumerate(found):
        own = sorted(
            (one[1:] for one in every(seatings) if one[0] == bot), key=lambda one: -one[-1]
        )
        known = {one[:2]: one for one in own}
        chosen = (
            own
            if len(own) <= 2 * MAX_EXTREME_GAMES
            else own[:MAX_EXTREME_GAMES] + own[-MAX_EXTREME_GAMES:]
        )
        assert [one.points_above_mean for one in told] == pytest.approx([one[-1] for one in chosen])
        assert len({(one.game, one.seat) for one in told}) == len(told)
        for one in told:
            _, _, points, above = known[one.game, one.seat]
            assert (one.points, one.cell) == (points, seatings.cell)
            assert one.points_above_mean == pytest.approx(above)


@given(any_games(BOTS))
def test_a_weight_is_a_distance_in_deviations(
    generated: tuple[SeatedGames, list[PlayedGames]],
) -> None:
    seatings, blocks = generated
    distances = [one[-1] for one in every(seatings)]
    told = [one for own in extreme_games(seatings, keys(len(blocks)), BOTS) for one in own]
    deviation = (sum(one**2 for one in distances) / max(len(distances), 1)) ** 0.5
    for one in told:
        assert one.deviations * deviation == pytest.approx(one.points_above_mean)


def game(id_: str, weight: float, above: float | None = None) -> ExtremeGame:
    return ExtremeGame(weight, id_, Cell("sticheln", 3), 0, 7, weight if above is None else above)


def test_the_best_of_all_cells() -> None:
    """By their weights, for points of one variant are not those of another."""
    found = [
        *(game(f"{number}-0", float(number)) for number in range(-7, 8)),
        game("far-0", 0.5, above=400.0),
        game("deep-0", -0.5, above=-400.0),
    ]
    assert [one.game for one in best_games(found)] == ["7-0", "6-0", "5-0", "4-0", "3-0"]
    assert [one.game for one in worst_games(found)] == ["-7-0", "-6-0", "-5-0", "-4-0", "-3-0"]


def test_a_game_in_the_middle_is_neither() -> None:
    found = [game("a-0", 0.0), game("b-0", 0.1), game("c-0", -0.1)]
    assert [one.game for one in best_games(found)] == ["b-0"]
    assert [one.game for one in worst_games(found)] == ["c-0"]
    assert best_games([]) == worst_games([]) == []
