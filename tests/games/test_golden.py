"""Golden games: results an independent implementation of the rules came to as well."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games.catalog import VARIANTS, variant
from tests.golden import golden

LINES = (Path(__file__).parent / "golden.jsonl").read_text().splitlines()
BY_VARIANT: dict[str, list[str]] = {name: [] for name in VARIANTS}
for line in LINES:
    BY_VARIANT[json.loads(line)["game"]].append(line)


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_games(name: str) -> None:
    lines = BY_VARIANT[name]
    assert {json.loads(line)["players"] for line in lines} == set(VARIANTS[name].seats)
    for line in lines:
        wanted = json.loads(line)
        game = variant(name).game(wanted["players"])
        assert json.dumps(golden(game, wanted["seed"])) == line


def test_the_command_prints_the_line() -> None:
    line = next(line for line in BY_VARIANT["sticheln+mild+hazy"] if '"players": 5' in line)
    seed = str(json.loads(line)["seed"])
    command = [sys.executable, "-m", "tests.golden", "sticheln+hazy+mild", "5", seed]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == line + "\n"


@pytest.mark.parametrize("words", [["sticheln"], ["sticheln", "x", "1"], ["sticheln", "9", "1"]])
def test_the_command_refuses(words: list[str]) -> None:
    command = [sys.executable, "-m", "tests.golden", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
