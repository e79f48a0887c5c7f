"""`arena run` plays a tournament and says what came of it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TOURNAMENT = """
name: small
seed: {seed}
variants: sticheln
seats: 3
bots: [ducker, lowest, highest, {fourth}]
deals: 2
"""


def file(folder: Path, *, seed: str = "a seed that is long enough", fourth: str = "random") -> Path:
    written = folder / "small.yaml"
    written.write_text(TOURNAMENT.format(seed=seed, fourth=fourth))
    return written


def test_from_a_file_to_standings(arena: Run, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = arena("run", str(file(tmp_path)), "--out", str(out), "--workers", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "small: 4 bots, 4 tables, 8 blocks, 48 games, on 2 cores" in done.stdout
    assert "48 games in 0:" in done.stdout
    for bot in ("ducker", "lowest", "highest", "random"):
        assert bot in done.stdout
    assert sorted(path.name for path in out.iterdir() if "db-" not in path.name) == [
        "log.txt",
        "run.db",
        "run.lock",
        "tournament.yaml",
    ]
    assert "12 games in" in (out / "log.txt").read_text()
    again = arena("run", str(file(tmp_path)), "--out", str(out), "--json", "--quiet")
    assert again.returncode == 0
    assert json.loads(again.stdout)["overall"]["games"] == 48
    assert "Everything was played before: 8 blocks, 48 games." in again.stderr


@pytest.mark.slow
def test_the_default_folder_and_faults(arena: Run, tmp_path: Path) -> None:
    guilty = tmp_path / "guilty.py"
    guilty.write_text("print('hello')\n")
    done = arena("run", str(file(tmp_path, fourth=str(guilty))), folder=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "runs" / "small" / "run.db").is_file()
    assert "guilty was at fault: see arena games runs/small --fault" in done.stdout
    assert "faults" in done.stdout


def test_a_seed_that_can_be_guessed_is_warned_of(arena: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    done = arena("run", str(file(tmp_path, seed="7")), "--out", out)
    assert "short enough to be guessed" in done.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deals": "many"}, "small.yaml: $.deals: expected int, got str"),
        ({"dealz": "3"}, "there is no key 'dealz'; did you mean 'deals'?"),
        ({"bots": "[random, lowest]"}, "seats"),
        ({"bots": "[random, lowest, ./none.py]"}, "none.py"),
    ],
)
def test_mistakes_are_said_before_anything_is_played(
    arena: Run, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    written = file(tmp_path)
    text = written.read_text()
    for key, value in change.items():
        text = "\n".join(line for line in text.splitlines() if not line.startswith(f"{key}:"))
        text += f"\n{key}: {value}\n"
    written.write_text(text)
    done = arena("run", str(written), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()
