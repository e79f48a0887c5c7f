"""The rulebook says what is played, and marks what is our own."""

import pytest

from arena.games.catalog import VARIANTS, variant
from arena.games.rules_text import HOUSE_PREFIX, rulebook
from arena.games.was_sticht.tasks import TASKS


@pytest.mark.parametrize("name", VARIANTS)
def test_every_axis_is_explained(name: str) -> None:
    book = rulebook(VARIANTS[name])
    assert [rule.axis for rule in book.rules] == [axis for axis, _ in VARIANTS[name].rules.axes()]
    for rule in book.rules:
        assert rule.title[0].isupper()
        for sentence in (rule.text, *rule.house):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert ". " not in sentence, "a rule is one sentence"
            assert "\n" not in sentence
            assert HOUSE_PREFIX not in sentence
    assert [row.seats for row in book.tables] == list(VARIANTS[name].seats)


@pytest.mark.parametrize("name", VARIANTS)
def test_what_a_modifier_changed_is_marked(name: str) -> None:
    book = rulebook(VARIANTS[name])
    marked = {modifier for rule in book.rules for modifier in rule.changed_by}
    assert marked == set(VARIANTS[name].modifiers)


def test_two_variants_differ_where_their_rules_do() -> None:
    plain, hazy = rulebook(variant("sticheln")), rulebook(variant("sticheln+hazy"))
    differ = [a.axis for a, b in zip(plain.rules, hazy.rules, strict=True) if a.text != b.text]
    assert differ == ["shown"]


def test_delayed_designates_nothing_that_could_be_shown() -> None:
    assert "shown" not in {rule.axis for rule in rulebook(variant("sticheln+delayed")).rules}


def test_combinations_are_house_rulings() -> None:
    def rulings(name: str) -> str:
        return " ".join(rulebook(variant(name)).house)

    assert "combines" not in rulings("sticheln+mild")
    assert "combines" in rulings("sticheln+mild+hazy")
    assert "prints no variants" in rulings("stick-em+mild")
    assert "prints no variants" not in rulings("stick-em")


def test_tasks_are_listed() -> None:
    terms = rulebook(variant("was-sticht")).terms
    assert [(term.name, term.value) for term in terms] == [(n, t.value) for n, t in TASKS.items()]
    assert rulebook(variant("hat-trick")).terms == ()


def test_sizes_are_listed() -> None:
    row = rulebook(variant("sticheln")).tables[-1]
    assert (row.seats, row.cards, row.hand, row.left_over, row.tricks) == (8, 114, 14, 2, 13)
    assert row.colours == ("green", "brown", "red", "blue", "yellow", "violet")
    assert row.numbers == (0, 18)
