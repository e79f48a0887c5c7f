"""The deal of a seed is fixed for ever, and fair."""

from collections import Counter
from hashlib import shake_128

from hypothesis import given
from hypothesis import strategies as st

from arena.games.shuffle import SeededShuffle


def test_fixed_for_ever() -> None:
    """Should this ever fail, every game that was written down has become another one."""
    assert SeededShuffle(1)(0, "ABCDEFGHIJ") == list("HIDJFGAECB")
    assert SeededShuffle(1)(1, "ABCDEFGHIJ") != SeededShuffle(1)(0, "ABCDEFGHIJ")
    assert SeededShuffle(2**64 - 1)(0, "ABCDEFGHIJ") != SeededShuffle(1)(0, "ABCDEFGHIJ")


def test_as_documented() -> None:
    """The order, worked out from the documentation once more."""
    items = list(range(60))
    stream = shake_128(b"stichkampf-deal-1/5/3").digest(480)
    for n in range(60, 0, -1):
        at = 8 * (60 - n)
        j = int.from_bytes(stream[at : at + 8], "little") % n
        items[n - 1], items[j] = items[j], items[n - 1]
    assert SeededShuffle(5)(3, range(60)) == items


@given(st.integers(0, 2**64 - 1), st.integers(0, 300), st.lists(st.integers(), max_size=120))
def test_a_shuffle_keeps_the_items(seed: int, draw: int, items: list[int]) -> None:
    given_items = list(items)
    order = SeededShuffle(seed)(draw, items)
    assert Counter(order) == Counter(given_items)
    assert items == given_items
    assert order == SeededShuffle(seed)(draw, items)


def test_every_item_comes_to_every_place() -> None:
    """Over 4,000 draws of 8 each of the 64 counts is within five deviations of 500."""
    counts = Counter(
        (place, item)
        for seed in range(4000)
        for place, item in enumerate(SeededShuffle(seed)(0, "ABCDEFGH"))
    )
    assert len(counts) == 64
    assert all(abs(count - 500) < 5 * (4000 / 8 * 7 / 8) ** 0.5 for count in counts.values())
