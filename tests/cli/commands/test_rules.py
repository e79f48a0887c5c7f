"""`arena rules` for people and for programs."""

import json

import pytest

from arena.games.catalog import VARIANTS
from tests.cli.invoke import invoke_arena


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("name", ["sticheln+reverse+mild+aggravated+hazy", "was-sticht"])
def test_rules_fit_the_terminal(name: str, columns: int) -> None:
    done = invoke_arena("rules", name, columns=columns)
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert "…" not in done.stdout
    assert VARIANTS[name].title in done.stdout


def test_a_modifier_is_seen() -> None:
    plain, mild = (
        invoke_arena("rules", "sticheln").stdout,
        invoke_arena("rules", "sticheln+mild").stdout,
    )
    assert "\nWorth\n  A card of a special colour is worth its number.\n" in plain
    assert "\nWorth  mild\n  A card of a special colour is worth 5, also a 0.\n" in mild


def test_house_rulings_are_marked() -> None:
    text = invoke_arena("rules", "sticheln+reverse", columns=100).stdout
    assert "⌂ Without a trump the highest card of the led colour wins." in text
    assert "⌂ A house ruling: no printed rule settles it." in text


def test_tasks_are_listed() -> None:
    text = invoke_arena("rules", "was-sticht").stdout
    assert "fewest_tricks  win fewer tricks than anybody else" in text


def test_json() -> None:
    found = json.loads(invoke_arena("rules", "sticheln+hazy+mild", "--json").stdout)
    assert found["variant"] == "sticheln+mild+hazy"
    by_axis = {rule["axis"]: rule for rule in found["rules"]}
    assert by_axis["shown"]["changed_by"] == ["hazy"]
    assert by_axis["worth"]["changed_by"] == ["mild"]
    assert "changed_by" not in by_axis["trump"]
    assert by_axis["ending"]["house"] == ["Equal totals share the victory."]
