"""The order stays sorted, and tells who is near."""

from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.matchmaking.table_queues import StrengthOrder

STRENGTHS = st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0, 9.0]), min_size=1, max_size=30)


@given(STRENGTHS, st.lists(st.tuples(st.integers(0, 29), st.sampled_from([-9.0, 0.0, 0.4, 2.0]))))
def test_bots_stand_where_they_belong(
    strengths: list[float], moves: list[tuple[int, float]]
) -> None:
    order = StrengthOrder(strengths)
    for number, strength in moves:
        bot = number % len(strengths)
        strengths[bot] = strength
        order.move(bot, strength)
    wanted = sorted(range(len(strengths)), key=lambda bot: (-strengths[bot], bot))
    assert [bot for _, bot in order.entries] == wanted
    assert [order.position(bot) for bot in wanted] == list(range(len(wanted)))


@given(STRENGTHS, st.integers(0, 29), st.sampled_from([0.0, 0.7, 2.2, 50.0]), st.integers(0, 5))
def test_nearby_bots(strengths: list[float], number: int, reach: float, least: int) -> None:
    order = StrengthOrder(strengths)
    at = number % len(strengths)
    low, high = order.nearby_range(at, reach, least)
    ranked = sorted(strengths, reverse=True)
    for place, strength in enumerate(ranked):
        near = abs(strength - ranked[at]) < reach
        if low <= place < high:
            assert near or abs(strength - ranked[at]) <= reach or abs(place - at) <= least
        else:
            assert not near
            assert abs(place - at) > least


def test_removing_a_bot_leaves_no_gap() -> None:
    order = StrengthOrder([1.0, 3.0, 2.0])
    order.remove(2)
    assert [bot for _, bot in order.entries] == [1, 0]
    assert len(order) == 2
