"""A bot that remembers deals gains nothing, since no process meets a deal twice.

Every block has a deal of its own, and each turn of a chunk its own processes, which play each of
the chunk's deals once. What a bot writes to files is another matter: a sandbox has to see to it
that nothing it writes outlives its process.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal
from arena.referee.record import Record
from arena.referee.referee import Referee
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.tournaments.play.worker import SeatedDeals, play_deals
from tests.referee.game_helpers import MISBEHAVING, choices_with_stand_ins, misbehaving_bot
from tests.tournaments import small_runs

GAME = variant("stick-em").game(3)
TURNS = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
TERMS = RefereeConfig(limits=None)
NAME = "remembers"


def with_fresh_processes(bots: Sequence[Bot], deals: Sequence[Deal]) -> list[list[Record]]:
    """The games of a chunk: for each turn, each deal."""
    turns = [[seating] * len(deals) for seating in TURNS]
    with Launcher() as launcher:
        played = list(play_deals(SeatedDeals(GAME, bots, deals, turns), launcher, TERMS))
    games = {(turn, number): game.record for turn, number, game in played}
    return [[games[turn, number] for number in range(len(deals))] for turn in range(len(TURNS))]


def with_the_same_processes(bots: Sequence[Bot], deals: Sequence[Deal]) -> list[list[Record]]:
    """The same games as no tournament plays them: one after the other, by the same processes."""
    turns = [seating for seating in TURNS for _ in deals]
    one_by_one = RefereeConfig(limits=None, games_at_once=1)
    with Launcher() as launcher:
        referee = Referee(GAME, bots, launcher, one_by_one)
        games = [played.record for played in referee.play([*deals] * len(TURNS), turns)]
    return [games[at : at + len(deals)] for at in range(0, len(games), len(deals))]


def own_seat(record: Record) -> int:
    return [seated.name for seated in record.bots].index(NAME)


def total(games: Sequence[Record]) -> tuple[int, int]:
    """Its points, and how many games it wins."""
    seats = [(record, own_seat(record)) for record in games]
    return sum(r.scores[seat] for r, seat in seats), sum(r.ranks[seat] == 1 for r, seat in seats)


def test_a_process_recognizes_a_deal() -> None:
    """Or the tests below would show nothing."""
    first, *later = with_the_same_processes(
        [misbehaving_bot(NAME), misbehaving_bot("innocent"), misbehaving_bot("innocent")],
        [Deal(7), Deal(8)],
    )
    for record in first:
        assert record.notes == {}
        assert record.choices == choices_with_stand_ins(record, lambda _: False)
    for turn in later:
        for record in turn:
            assert set(record.notes.values()) == {"I know this deal"}
            assert record.choices != choices_with_stand_ins(record, lambda _: False)


@pytest.mark.slow
def test_no_deal_is_recognized_in_a_chunk() -> None:
    """It plays as it does without a memory."""
    bots = [misbehaving_bot(NAME), misbehaving_bot("innocent"), misbehaving_bot("innocent")]
    for turn in with_fresh_processes(bots, [Deal(7), Deal(8)]):
        for record in turn:
            assert record.notes == {}
            assert record.choices == choices_with_stand_ins(record, lambda _: False)


@pytest.mark.soak
def test_recognizing_deals_would_win() -> None:
    """With the same processes the worst bot of the table becomes by far the best."""
    bots = [misbehaving_bot(NAME), load_bot(Path("lowest")), load_bot(Path("ducker"))]
    deals = [Deal(seed) for seed in range(6)]
    honest = with_fresh_processes(bots, deals)
    cheated = with_the_same_processes(bots, deals)
    assert [record.choices for record in cheated[0]] == [record.choices for record in honest[0]]
    points, won = total([record for turn in honest[1:] for record in turn])
    more, won_then = total([record for turn in cheated[1:] for record in turn])
    assert more - points > 10 * 12, "ten points a game"
    assert won <= 3
    assert won_then >= 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("innocents", "changes", "games"),
    [
        pytest.param(2, {"seats": 3, "deals": 4, "chunk": 2}, 4 * 3, id="one table"),
        pytest.param(
            3,
            {"deals": 6, "chunk": 3},
            3 * 6 * 3 + 1 * 6 * 4,
            id="five tables",
            marks=pytest.mark.soak,
        ),
    ],
)
def test_no_deal_is_recognized_in_a_tournament(
    innocents: int, changes: dict[str, Any], games: int, tmp_path: Path
) -> None:
    """Beside bots that take their last option it does so as well, in every game of a run."""
    innocent = str(MISBEHAVING / "innocent.py")
    bots = [
        str(MISBEHAVING / f"{NAME}.py"),
        *({"bot": innocent, "as": f"innocent-{number}"} for number in range(innocents)),
    ]
    file, out = small_runs.write_tournament(tmp_path, bots=bots, **changes), tmp_path / "run"
    small_runs.run_tournament(file, out)
    small_runs.check_whole(file, out)
    count = 0
    for record in records(out):
        assert record.notes == {}
        assert record.choices == choices_with_stand_ins(record, lambda _: False)
        count += NAME in {seated.name for seated in record.bots}
    assert count == games
    with Run.open(out) as run:
        seeds = [block.seed for block in run.blocks()]
    assert len(set(seeds)) == len(seeds), "every block has a deal of its own"


def records(out: Path) -> Iterator[Record]:
    """All games of a run."""
    with Run.open(out) as run:
        for block in run.blocks():
            for game in unpack_games(block.packed_games):
                yield game.record
