"""Which variants are meant, by their names and by patterns."""

from pathlib import Path

import pytest

from arena.games.catalog import MODIFIERS, VARIANTS
from arena.tournaments.config.resolve import find_variants

FILE = Path("friday.yaml")


def test_all() -> None:
    assert list(find_variants(FILE, "all")) == list(find_variants(FILE, ["all"])) == list(VARIANTS)


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("sticheln*", 24), ("sticheln+*", 23), ("*+mild", 24), ("*+mild*", 24), ("stic[hk]*", 48)],
)
def test_patterns(pattern: str, count: int) -> None:
    found = find_variants(FILE, pattern)
    assert len(found) == count
    assert not any(found.values())


@pytest.mark.parametrize("modifier", MODIFIERS)
def test_a_pattern_matches_modifiers_in_any_order(modifier: str) -> None:
    wanted = {
        name
        for name, known in VARIANTS.items()
        if name.startswith("sticheln") and modifier in known.modifiers
    }
    assert set(find_variants(FILE, f"sticheln+{modifier}*")) == wanted


def test_names_in_any_order_and_once() -> None:
    assert find_variants(FILE, ["sticheln+hazy+mild", "Sticheln+mild+hazy"]) == {
        "sticheln+mild+hazy": True
    }


def test_a_name_counts_more_than_a_pattern() -> None:
    assert find_variants(FILE, ["hat*", "hat-trick"]) == {"hat-trick": True}
    assert find_variants(FILE, ["hat-trick", "hat*"]) == {"hat-trick": True}
