"""`arena plan` says what a tournament comes to, before anything is played."""

import json
from pathlib import Path

import pytest

from arena.tournaments.deals import commitment
from tests.cli.invoke import invoke_arena
from tests.suite.tools import strip_sandbox_warning

pytestmark = pytest.mark.slow

FRIDAY = """
seed: a secret nobody would ever guess
variants: [sticheln, hat-trick]
seats: [4]
bots: [random, lowest, highest, first-legal, {bot: random, as: other}]
workers: 2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "friday.yaml"
    written.write_text(FRIDAY)
    return written


def test_a_plan(file: Path) -> None:
    done = invoke_arena("plan", str(file))
    assert (done.exit_code, strip_sandbox_warning(done.stderr)) == (0, "")
    words = [line.split() for line in done.stdout.splitlines()]
    assert "friday  5 bots · 480 games · balanced seatings" in done.stdout
    assert "first-legal, highest, lowest, other, random" in done.stdout
    assert ["sticheln,", "4", "seats", "5", "60", "240", "300"] in words
    assert ["in", "all", "10", "120", "480"] in words
    assert ["hat-trick,", "4", "seats", "48", "36", "48", "48", "yes"] in words
    assert "no two are the same" in done.stdout
    assert commitment("a secret nobody would ever guess") in done.stdout.splitlines()
    assert "guess" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_unfair_plans_are_marked(file: Path) -> None:
    file.write_text(FRIDAY + "tables: {sample: 3}\ndeals: 2\nstop: {when: order}\n")
    done = invoke_arena("plan", str(file))
    said = " ".join(done.stdout.split())
    assert "no *" in said
    assert "* not even." in said
    assert "of what they could tell about the order." in said
    assert "neighbours are even after every 3 deals: 'deals: 3' would be better than 2." in said
    assert "It stops sooner if the order is known to 95 %" in said


def test_many_cells_are_shown_together(file: Path) -> None:
    text = FRIDAY.replace("[sticheln, hat-trick]", "sticheln*").replace("[4]", "[3, 4, 5]")
    file.write_text(text)
    done = invoke_arena("plan", str(file), columns=60)
    assert "24 variants, 3 seats" in done.stdout
    assert len(done.stdout.splitlines()) < 45
    assert max(map(len, done.stdout.splitlines())) <= 64  # a commitment cannot be broken


def test_json(file: Path) -> None:
    found = json.loads(invoke_arena("plan", "--json", str(file)).stdout)
    assert (found["name"], found["tables"], found["games"]) == ("friday", 10, 480)
    assert found["commitment"] == commitment("a secret nobody would ever guess")
    assert [cell["decisions"] for cell in found["cells"]] == [300, 280]
    assert all(balance["balanced"] for balance in found["fairness"][0]["balances"])


def test_without_a_seed(file: Path) -> None:
    file.write_text(FRIDAY.replace("seed:", "name: x #"))
    assert "No seed: it is drawn when the run begins." in invoke_arena("plan", str(file)).stdout


def test_a_mistake(file: Path) -> None:
    file.write_text(FRIDAY + "deals: many\n")
    done = invoke_arena("plan", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {file}: $.deals: expected int, got str; it takes")
    missing = invoke_arena("plan", str(file.parent / "none.yaml"))
    assert missing.exit_code == 2
    assert missing.stderr == f"Error: {file.parent}/none.yaml: No such file or directory\n"
