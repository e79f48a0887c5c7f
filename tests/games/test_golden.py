"""Golden games: results an independent implementation of the rules came to as well."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games.catalog import variant
from tests.games.game_states import EVERY_TABLE
from tests.golden import play_golden_game

GAMES = [
    (line, json.loads(line))
    for line in (Path(__file__).parent / "golden.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("name", dict.fromkeys(wanted["game"] for _, wanted in GAMES))
def test_golden_games(name: str) -> None:
    for line, wanted in GAMES:
        if wanted["game"] == name:
            game = variant(name).game(wanted["players"])
            assert json.dumps(play_golden_game(game, wanted["seed"])) == line


def test_every_table_has_its_golden_games() -> None:
    """For a new variant, add lines that a second implementation has come to as well."""
    assert {(wanted["game"], wanted["players"]) for _, wanted in GAMES} == set(EVERY_TABLE)


def test_the_command_prints_the_line() -> None:
    line, wanted = next(
        (line, wanted)
        for line, wanted in GAMES
        if (wanted["game"], wanted["players"]) == ("sticheln+mild+hazy", 5)
    )
    words = ["sticheln+hazy+mild", "5", str(wanted["seed"])]
    command = [sys.executable, "-m", "tests.golden", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == line + "\n"


@pytest.mark.parametrize("words", [["sticheln"], ["sticheln", "x", "1"], ["sticheln", "9", "1"]])
def test_the_command_refuses(words: list[str]) -> None:
    command = [sys.executable, "-m", "tests.golden", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
