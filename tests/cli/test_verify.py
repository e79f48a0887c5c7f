"""`arena verify` says whether games are as they were written down."""

import json
from pathlib import Path

from msgspec.structs import replace

from arena.cli.verify import Different, check
from tests.cli.conftest import Run
from tests.cli.records import recorded, written

GOOD = recorded("sticheln", 3)
OTHER = recorded("was-sticht", 4)
BAD = replace(GOOD, scores=(1, 2, 3))
CUT = replace(GOOD, choices=GOOD.choices[:-1])
UNKNOWN = replace(GOOD, variant="poker\x1b[2J")


def test_as_written_down(arena: Run, tmp_path: Path) -> None:
    done = arena("verify", str(written(tmp_path / "games.jsonl", GOOD, OTHER)))
    assert (done.returncode, done.stdout) == (0, "2 games, all as written down\n")


def test_not_as_written_down(arena: Run, tmp_path: Path) -> None:
    file = str(written(tmp_path / "games.jsonl", GOOD, BAD, OTHER))
    done = arena("verify", file)
    assert done.returncode == 1
    first, last = done.stdout.splitlines()
    assert first == (
        f"game 2: played again the scores are {GOOD.scores}, written down are (1, 2, 3)"
    )
    assert last == "3 games, 1 not as written down"
    quiet = arena("verify", "--quiet", file)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (1, "", "")


def test_json(arena: Run, tmp_path: Path) -> None:
    done = arena("verify", "--json", str(written(tmp_path / "games.jsonl", GOOD, CUT)))
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["games"] == 2
    (different,) = found["different"]
    assert different["game"] == 2
    assert "is it cut off?" in different["error"]


def test_an_unreadable_file(arena: Run, tmp_path: Path) -> None:
    file = written(tmp_path / "games.jsonl", GOOD)
    file.write_bytes(file.read_bytes() + b'{"variant": 3}\n')
    for path, said in ((file, "line 2 is no record"), (tmp_path / "none", "No such file")):
        done = arena("verify", str(path))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {path}: {said}")
        assert len(done.stderr.splitlines()) == 1


def test_a_game_that_cannot_be_played(tmp_path: Path) -> None:
    (different,) = check(written(tmp_path / "games.jsonl", UNKNOWN)).different
    assert isinstance(different, Different)
    assert "poker␛[2J" in different.error or "poker\\x1b[2J" in different.error
