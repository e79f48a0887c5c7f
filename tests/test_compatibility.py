"""A run and a ladder that an earlier version wrote still open and continue.

`data/version_0_1.tar.gz` holds what version 0.1.0 made in an empty folder: `tournament.yaml` and
its four bots, one of which only answers with illegal choices; the run of this tournament; and a
ladder with three of the bots, after its first night.
"""

import json
import tarfile
from pathlib import Path

import pytest

from tests.cli.invoke import invoke_arena

DATA = Path(__file__).parent / "data" / "version_0_1.tar.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(DATA) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(*words: object) -> str:
    result = invoke_arena(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.usefixtures("folder")
def test_standings_of_a_run() -> None:
    standings = json.loads(printed("standings", "run", "--json"))["overall"]
    lines = [(line["bot"], line["rank"], line["mu"]) for line in standings["lines"]]
    assert lines[0] == ("first", 1, pytest.approx(29.02, abs=0.01))
    assert [bot for bot, _, _ in lines] == ["first", "lowest", "highest", "illegal"]
    assert (standings["blocks"], standings["faults"]) == (8, 396)


@pytest.mark.usefixtures("folder")
def test_games_of_a_run() -> None:
    assert "illegal: 'X9' is none of the options" in printed("games", "run", "--fault")
    assert printed("verify", "run").startswith("48 games in 8 blocks, all as written down")
    assert printed("report", "run").startswith("site/index.html")


@pytest.mark.slow
def test_a_run_continues(folder: Path) -> None:
    file = folder / "tournament.yaml"
    file.write_text(file.read_text().replace("deals: 1", "deals: 2"))
    assert "16 blocks · 96 games" in printed("run", file, "--out", "run", "--quiet")
    assert printed("verify", "run").startswith("96 games in 16 blocks, all as written down")


@pytest.mark.slow
def test_a_ladder_continues(folder: Path) -> None:
    assert "old · stick-em, 3 seats · 6 blocks · 36 games" in printed("ladder", "show", "ladder")
    assert "Night 2: 36 games" in printed("ladder", "night", "ladder", "--games", 36, "--quiet")
    changed = folder / "bots" / "lowest" / "bot.py"
    changed.write_text(
        changed.read_text().replace("min(", "sorted(").replace('options"])', 'options"])[0]')
    )
    submission = invoke_arena("submit", "bots/lowest", "--to", "ladder", "--owner", "owner-lowest")
    assert "accepted as lowest v2" in submission.output
    refused = invoke_arena("submit", "bots/first", "--to", "ladder", "--owner", "owner-first")
    assert "this is first v1, which is on the ladder already" in refused.output
    assert printed("verify", "ladder").startswith("72 games in 12 blocks, all as written down")
