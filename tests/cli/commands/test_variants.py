"""`arena variants` for people and for programs."""

import json

import pytest

from arena.cli.commands.variants import counts_text
from arena.games.catalog import VARIANTS
from tests.cli.invoke import invoke_arena

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_all_variants_are_listed_and_fit(columns: int) -> None:
    done = invoke_arena("variants", columns=columns)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    names = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert [name for name in names if name in VARIANTS] == list(VARIANTS)
    assert max(map(len, lines)) <= columns
    assert f"{len(VARIANTS)} variants." in done.stdout


def test_the_description_of_a_variant() -> None:
    text = invoke_arena("variants", columns=100).stdout
    assert (
        "sticheln+aggravated  3–8 players · 5 rounds · 13 tricks (12 with 8)\n"
        "    Sticheln where everybody has two special colours.\n"
    ) in text
    assert "stick-em  3–6 players · as many rounds as players · 14 tricks\n" in text
    assert "was-sticht  3–4 players · rounds until somebody has finished · 9 tricks\n" in text


def test_json() -> None:
    found = json.loads(invoke_arena("variants", "--json").stdout)
    assert [entry["variant"] for entry in found] == list(VARIANTS)
    tables = found[0]["tables"]
    assert [table["seats"] for table in tables] == [3, 4, 5, 6, 7, 8]
    assert tables[-1]["tricks"] == 13
    assert all(entry["summary"].endswith(".") for entry in found)
    by_name = {entry["variant"]: entry for entry in found}
    assert by_name["was-sticht"]["tables"][0]["rounds"] is None
    assert by_name["sticheln+mild+hazy"]["modifiers"] == ["mild", "hazy"]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({3: 14, 4: 14, 8: 13}, "14 tricks (13 with 8)"),
        ({3: 3, 4: 4}, "as many tricks as players"),
        ({4: 14, 5: 11}, "14 tricks (11 with 5)"),
        ({3: None}, "tricks until somebody has finished"),
    ],
)
def test_counts(numbers: dict[int, int | None], said: str) -> None:
    assert counts_text(numbers, "tricks") == said
