"""The matchmaker seats whoever there is something to learn about, and forgets nobody."""

import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ladder.matchmaking.matchmaker import (
    MAX_VISITS_AHEAD,
    WAITING_INTERVAL,
    Contender,
    Match,
    Matchmaker,
    largest_table,
)
from arena.ladder.matchmaking.table_queues import NEWCOMER_BLOCKS
from arena.ratings.cell import Cell
from arena.ratings.trueskill import MU, SIGMA

CELLS = (Cell("sticheln", 4), Cell("sticheln+mild", 4), Cell("stick-em", 4))


def contender(
    name: object,
    mu: float = MU,
    sigma: float = 1.0,
    *,
    blocks: int = 20,
    owner: str = "",
    cells: int,
) -> Contender:
    """A bot that has the same rating in all cells."""
    return Contender(str(name), owner, (mu,) * cells, (sigma,) * cells, (blocks,) * cells)


def newcomer(name: object, cells: int, owner: str = "") -> Contender:
    """A bot that has not played."""
    return contender(name, sigma=SIGMA, blocks=0, owner=owner, cells=cells)


def ladder(
    mus: Sequence[float], sigma: float = 1.0, cells: Sequence[Cell] = CELLS, *, blocks: int = 20
) -> list[Contender]:
    """Bots of these ratings."""
    return [
        contender(number, mu, sigma, blocks=blocks, cells=len(cells))
        for number, mu in enumerate(mus)
    ]


def maker(
    bots: Sequence[Contender], cells: Sequence[Cell] = CELLS, seed: bytes = b"seed", deals: int = 1
) -> Matchmaker:
    """A matchmaker for these."""
    return Matchmaker(cells, bots, [deals] * len(cells), [4 * deals] * len(cells), seed)


def evenly(bots: int, apart: float = 1.0) -> list[float]:
    """Ratings from the best down."""
    return [MU + apart * (bots / 2 - place) for place in range(bots)]


def count_games(matches: Sequence[Match]) -> Counter[int]:
    """How often each bot sat somewhere."""
    return Counter(bot for match in matches for bot in match.table)


def together(matches: Sequence[Match]) -> Counter[tuple[int, int]]:
    """How often each two bots met."""
    return Counter(pair for match in matches for pair in combinations(match.table, 2))


def night(
    matchmaker: Matchmaker, tables: int, truth: Sequence[float], seed: int = 1
) -> list[Match]:
    """So many tables; what a block comes to hangs on true strengths."""
    chance = np.random.default_rng(seed)
    matches = []
    for _ in range(tables):
        match = matchmaker.next_match()
        luck = chance.normal(0.0, SIGMA / 2, len(match.table))
        scores = [truth[bot] + more for bot, more in zip(match.table, luck, strict=True)]
        best = sorted(scores, reverse=True)
        matchmaker.learn(match, [[best.index(score) + 1 for score in scores]])
        matches.append(match)
    return matches


@settings(deadline=None)
@given(
    st.lists(st.integers(3, 8), min_size=1, max_size=5),
    st.integers(0, 12),
    st.integers(0, 12),
    st.binary(max_size=40),
)
def test_tables_are_tables(seats: list[int], old: int, new: int, seed: bytes) -> None:
    """Different bots in rising order, as many as there are seats."""
    cells = [Cell(f"variant {number}", size) for number, size in enumerate(seats)]
    bots = [*ladder(evenly(old), cells=cells), *(newcomer(n, len(cells)) for n in range(new))]
    matchmaker = maker(bots, cells, seed)
    if old + new < min(seats):
        with pytest.raises(ValueError, match="different owners"):
            matchmaker.next_match()
        return
    for _ in range(20):
        match = matchmaker.next_match()
        assert list(match.table) == sorted(set(match.table))
        assert len(match.table) == seats[match.cell]
        assert match.table[0] >= 0
        assert match.table[-1] < old + new
        matchmaker.learn(match, [range(1, len(match.table) + 1)])


def test_the_same_calls_lead_to_the_same_tables() -> None:
    truth = evenly(40)
    bots = [*ladder(truth[:35], sigma=2.0), *(newcomer(n, 3) for n in range(5))]
    first, again = (night(maker(bots), 200, truth) for _ in range(2))
    assert first == again
    assert first != night(maker(bots, seed=b"other"), 200, truth)


def test_tables_do_not_hang_on_results_that_are_not_there_yet() -> None:
    """Many tables can be asked for before the first is played, and they are not all the same."""
    matchmaker = maker(ladder(evenly(30), sigma=2.0))
    seen = count_games([matchmaker.next_match() for _ in range(60)])
    assert len(seen) == 30
    assert max(seen.values()) < 6 * min(seen.values())


@pytest.mark.parametrize("deals", [1, 5])
def test_all_cells_are_played_alike(deals: int) -> None:
    cells = [Cell(f"variant {number}", seats) for number, seats in enumerate((3, 4, 6, 8))]
    truth = evenly(50)
    bots = [*ladder(truth[:45], cells=cells), *(newcomer(n, 4) for n in range(5))]
    matchmaker = maker(bots, cells, deals=deals)
    seen = Counter[int]()
    for match in night(matchmaker, 400, truth):
        seen[match.cell] += 1
        assert max(seen.values()) - min(seen[cell] for cell in range(4)) <= MAX_VISITS_AHEAD + 1
    assert min(seen.values()) > 95


def test_every_bot_plays_alike_in_all_cells() -> None:
    truth = evenly(60)
    matches = night(maker(ladder(truth, sigma=3.0)), 600, truth)
    for bot in range(60):
        seen = Counter(match.cell for match in matches if bot in match.table)
        assert max(seen.values()) - min(seen[cell] for cell in range(3)) <= 7
        assert min(seen[cell] for cell in range(3)) >= 4


def test_a_bot_plays_where_it_is_missing() -> None:
    late = Contender("late", "", (MU, 30.0, 30.0), (SIGMA, 1.0, 1.0), (0, 20, 20))
    matches = night(maker([*ladder(evenly(30)), late]), 30, [*evenly(30), 30.0])
    first = next(match for match in matches if 30 in match.table)
    assert first.cell == 0


def test_newcomers_come_first_and_meet_bots_from_all_over_the_ladder() -> None:
    old = 60
    matchmaker = maker([*ladder(evenly(old, 0.5), sigma=0.6), newcomer("x", 3), newcomer("y", 3)])
    matches = [matchmaker.next_match() for _ in range(2 * NEWCOMER_BLOCKS + 1)]
    for turn, match in enumerate(matches):
        if turn != WAITING_INTERVAL - 1:
            assert {old, old + 1} & set(match.table)
    for bot in (old, old + 1):
        with_it = [match for match in matches if bot in match.table]
        assert len(with_it) >= NEWCOMER_BLOCKS
        assert len({match.cell for match in with_it}) == 3
        others = [one for match in with_it for one in match.table if one < old]
        assert min(others) < old / 3
        assert max(others) >= 2 * old / 3


def test_a_newcomer_then_meets_those_it_may_be_as_strong_as() -> None:
    truth = [*evenly(100, 0.5), 45.0]
    matchmaker = maker([*ladder(truth[:100], sigma=0.8), newcomer("strong", 3)])
    matches = [match for match in night(matchmaker, 400, truth) if 100 in match.table]
    early, late = (
        [bot for match in part for bot in match.table if bot < 100]
        for part in (matches[:NEWCOMER_BLOCKS], matches[-5:])
    )
    assert np.mean(late) < 20 < np.mean(early)
    assert matchmaker.ranked_bots.index(100) < 20


def test_all_bots_play_when_the_order_is_settled() -> None:
    truth = evenly(60, 10.0)
    matches = night(maker(ladder(truth, sigma=0.1, blocks=9999)), 60, truth)
    assert len(count_games(matches)) == 60


def test_settled_bots_still_get_games() -> None:
    """Ten bots side by side, and fifty that are far apart and known well."""
    close, far = [(MU, 4.0)] * 10, [(MU + 20.0 + 10 * n, 0.2) for n in range(50)]
    bots = [contender(n, mu, sigma, cells=3) for n, (mu, sigma) in enumerate([*close, *far])]
    truth = [MU] * 10 + [mu for mu, _ in far]
    seen = count_games(night(maker(bots), 250, truth))
    assert min(seen[bot] for bot in range(60)) >= 1
    assert sum(seen[bot] for bot in range(10)) > 0.5 * seen.total()


def test_open_neighbours_play_more_than_settled_ones() -> None:
    truth = [MU + 8.0 * n for n in range(20)]
    truth[10] = truth[9] + 0.8
    matches = night(maker(ladder(truth, sigma=0.9)), 120, truth)
    seen, met = count_games(matches), together(matches)
    others = [seen[bot] for bot in range(20) if bot not in {9, 10}]
    assert min(seen[9], seen[10]) > 1.5 * np.mean(others)
    assert met[9, 10] > 40


def test_a_tie_for_certain_takes_no_games_from_others() -> None:
    """Two equal bots that are known well, and two that are not."""
    truth = [MU + 8.0 * n for n in range(20)]
    sigma = [0.3] * 20
    truth[4], truth[15] = truth[3], truth[14]
    sigma[3] = sigma[4] = 0.12
    sigma[14] = sigma[15] = 1.2
    bots = [
        contender(n, mu, error, cells=3)
        for n, (mu, error) in enumerate(zip(truth, sigma, strict=True))
    ]
    matchmaker = maker(bots)
    assert matchmaker.priority.stakes[3] == matchmaker.priority.stakes[4] == 0
    seen = count_games(night(matchmaker, 60, truth))
    assert seen[14] + seen[15] > 2 * (seen[3] + seen[4])


def test_the_top_matters_more() -> None:
    """Two pairs that are as open as each other."""
    truth = [MU + 8.0 * n for n in range(20)]
    truth[19], truth[10] = truth[18] + 0.5, truth[9] + 0.5
    matchmaker = maker(ladder(truth, sigma=0.9))
    assert matchmaker.priority.stakes[19] == pytest.approx(
        2 * matchmaker.priority.stakes[10], rel=0.2
    )
    matches = [matchmaker.next_match() for _ in range(4)]
    assert count_games(matches)[19] > count_games(matches)[10]


@pytest.mark.parametrize(("owners", "each", "seats"), [(10, 3, 4), (8, 20, 8), (40, 10, 3)])
def test_bots_of_one_owner_do_not_meet(owners: int, each: int, seats: int) -> None:
    """Even where all that are about as strong belong to one."""
    cells = [Cell("sticheln", seats)]
    truth = evenly(owners * each, 0.3)
    bots = [
        contender(n, mu, 0.5, owner=f"owner {n // each}", cells=1) for n, mu in enumerate(truth)
    ]
    for match in night(maker(bots, cells), 300, truth):
        assert len({bot // each for bot in match.table}) == seats


def test_reference_bots_may_meet_but_never_two_of_one_owner() -> None:
    cells = [Cell("sticheln", 4)]
    free = [contender(n, owner="", cells=1) for n in range(4)]
    assert maker(free, cells).next_match().table == (0, 1, 2, 3)
    owned = [contender(n, owner="ann" if n % 2 else "Ann", cells=1) for n in range(4)]
    with pytest.raises(ValueError, match="different owners"):
        maker(owned, cells).next_match()
    others = [contender(n, owner=owner, cells=1) for n, owner in enumerate(("", "bob", ""))]
    for match in night(maker([*owned, *others], cells), 30, [MU] * 7):
        assert sum(bot < 4 for bot in match.table) == 1


def test_tables_with_more_seats_than_owners_are_not_played() -> None:
    """Two owners and two reference bots fill four seats; once one of these is gone, three."""
    cells = [Cell("sticheln", seats) for seats in (3, 4, 5)]
    owners = ["ann", "ann", "ann", "bob", "bob", "", ""]
    bots = [contender(n, owner=owner, cells=3) for n, owner in enumerate(owners)]
    matchmaker = maker(bots, cells)
    assert {match.cell for match in night(matchmaker, 30, [MU] * 7)} == {0, 1}
    matchmaker.remove_bot(4)
    assert {match.cell for match in night(matchmaker, 30, [MU] * 7)} == {0, 1}
    matchmaker.remove_bot(5)
    assert {match.cell for match in night(matchmaker, 30, [MU] * 7)} == {0}
    matchmaker.remove_bot(3)
    with pytest.raises(ValueError, match="different owners"):
        matchmaker.next_match()


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["", "ann", "Ann", "bob", "cleo", "dan"]), max_size=14),
    st.lists(st.integers(3, 6), min_size=1, max_size=3),
    st.binary(max_size=8),
)
def test_no_table_has_two_bots_of_one_owner(
    owners: list[str], seats: list[int], seed: bytes
) -> None:
    cells = [Cell(f"variant {number}", size) for number, size in enumerate(seats)]
    bots = [
        contender(n, evenly(len(owners))[n], owner=owner, cells=len(cells))
        for n, owner in enumerate(owners)
    ]
    matchmaker = maker(bots, cells, seed)
    present = list(range(len(owners)))
    while largest_table(owners[bot] for bot in present) >= min(seats):
        for _ in range(5):
            match = matchmaker.next_match()
            owned = [owner for bot in match.table if (owner := owners[bot].casefold())]
            assert len(owned) == len(set(owned))
            assert set(match.table) <= set(present)
            matchmaker.learn(match, [range(1, len(match.table) + 1)])
        matchmaker.remove_bot(present.pop())
    with pytest.raises(ValueError, match="different owners"):
        matchmaker.next_match()


def test_the_owner_of_nearly_all_bots_plays_with_the_others() -> None:
    bots = [
        contender(n, owner=("ann", "bob", "cleo", "dan")[max(0, n - 2996)], cells=1)
        for n in range(3000)
    ]
    for match in night(maker(bots, [Cell("sticheln", 4)]), 20, [MU] * 3000):
        assert len(match.table) == 4
        assert match.table[1:] == (2997, 2998, 2999)


def test_a_cell_with_too_many_seats_is_left_out() -> None:
    cells = [Cell("sticheln", 3), Cell("sticheln", 8), Cell("sticheln", 5)]
    matchmaker = maker(ladder(evenly(5), cells=cells), cells)
    assert {match.cell for match in night(matchmaker, 20, evenly(5))} == {0, 2}
    matchmaker.remove_bot(3)
    matches = night(matchmaker, 20, evenly(5))
    assert {match.cell for match in matches} == {0}
    assert 3 not in count_games(matches)
    matchmaker.remove_bot(0)
    matchmaker.remove_bot(0)
    assert matchmaker.next_match() == Match(0, (1, 2, 4))
    matchmaker.remove_bot(4)
    with pytest.raises(ValueError, match="different owners"):
        matchmaker.next_match()


def test_removed_bots_are_not_chosen_but_their_results_count() -> None:
    truth = evenly(12)
    matchmaker = maker(ladder(truth, sigma=3.0))
    match = matchmaker.next_match()
    gone, stays = match.table[0], match.table[1]
    before = matchmaker.estimate(stays)[0]
    matchmaker.remove_bot(gone)
    matchmaker.learn(match, [[4, 1, 2, 3]])
    assert matchmaker.estimate(stays)[0] > before
    assert gone not in matchmaker.ranked_bots
    assert gone not in count_games(night(matchmaker, 60, truth))


def test_a_winning_bot_rises() -> None:
    matchmaker = maker(ladder([MU] * 20, sigma=3.0))
    for _ in range(60):
        match = matchmaker.next_match()
        matchmaker.learn(match, [[1 if bot == 7 else 2 for bot in match.table]])
    assert matchmaker.ranked_bots[0] == 7
    mu, error = matchmaker.estimate(7)
    assert mu > MU
    assert error < 3.0 / 3**0.5


def test_a_dropped_match_restores_the_estimate() -> None:
    """A visit of which nothing came leaves all as it was."""
    matchmaker = maker(ladder(evenly(20), sigma=3.0))
    before = [matchmaker.estimate(bot) for bot in range(20)]
    matches = [matchmaker.next_match() for _ in range(6)]
    bot = matches[0].table[0]
    assert matchmaker.estimate(bot)[0] == pytest.approx(before[bot][0])
    assert matchmaker.estimate(bot)[1] < before[bot][1]
    for match in matches:
        matchmaker.learn(match, [])
    for bot in range(20):
        assert matchmaker.estimate(bot) == pytest.approx(before[bot])


def test_more_blocks_tell_more() -> None:
    once, often = (
        maker(ladder([MU] * 4, 3.0, CELLS[:1]), CELLS[:1], deals=deals) for deals in (1, 4)
    )
    for matchmaker, blocks in ((once, 1), (often, 4)):
        matchmaker.learn(matchmaker.next_match(), [[1, 2, 3, 4]] * blocks)
    assert often.estimate(0)[1] < once.estimate(0)[1]
    assert often.estimate(0)[0] > once.estimate(0)[0]


def test_an_unrequested_result_is_used() -> None:
    matchmaker = maker(ladder(evenly(10), sigma=3.0))
    before = matchmaker.estimate(9)
    matchmaker.learn(Match(0, (1, 4, 6, 9)), [[4, 3, 2, 1]])
    assert matchmaker.estimate(9)[0] > before[0]


def test_a_long_night_keeps_no_more_than_it_needs() -> None:
    truth = evenly(12)
    matchmaker = maker(ladder(truth, sigma=3.0))
    night(matchmaker, 500, truth)
    assert len(matchmaker.priority.heap) < 20 * 12
    assert len(matchmaker.priority.waiting_queue) < 20 * 12
    assert not matchmaker.expected_messages


@pytest.mark.slow
def test_a_table_costs_the_same_on_a_big_ladder() -> None:
    """CPU time in slices by turns, the best of each; looking up places grows with the logarithm."""
    best = {}
    sizes = (200, 4000)
    chance = np.random.default_rng(1)
    makers = {}
    for bots in sizes:
        truth = chance.normal(MU, SIGMA, bots).tolist()
        makers[bots] = maker(ladder(truth, sigma=1.5)), truth
        best[bots] = float("inf")
    for turn in range(8):
        for bots in sizes:
            begin = time.process_time()
            night(*makers[bots][:1], 200, makers[bots][1], seed=turn)
            best[bots] = min(best[bots], time.process_time() - begin)
    assert best[4000] < 3 * best[200]
