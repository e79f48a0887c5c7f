"""Counts with their nouns, lists, and hints on misspelt names."""

import pytest

from arena.text import english_list, plural, spelling_hint


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 bots"), (1, "1 bot"), (2, "2 bots"), (1200, "1,200 bots")]
)
def test_plural(number: int, text: str) -> None:
    assert plural(number, "bot") == text


@pytest.mark.parametrize(
    ("parts", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_english_list(parts: list[str], text: str) -> None:
    assert english_list(parts) == text


def test_spelling_hint() -> None:
    names = ("deals", "seats")
    assert spelling_hint("seat", names) == "did you mean 'seats'?"
    assert spelling_hint("workers", names) == "there are deals, seats"
    assert spelling_hint("x", names, "it takes") == "it takes deals, seats"
