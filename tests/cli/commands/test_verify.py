"""`arena verify` says whether games are as they were written down."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.store.run import Run as Kept
from arena.tournaments.check_run import RunChecker
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan_coverage import tournament_of_run
from arena.tournaments.verify import DifferentGame, verify_file
from tests.cli.invoke import invoke_arena
from tests.cli.records import random_record, write_records
from tests.store.planned_runs import create_planned_run, play_chunk

pytestmark = pytest.mark.slow

GOOD = random_record("sticheln", 3)
OTHER = random_record("was-sticht", 4)
BAD = replace(GOOD, scores=(1, 2, 3))
CUT = replace(GOOD, choices=GOOD.choices[:-1])
UNKNOWN = replace(GOOD, variant="poker\x1b[2J")


def test_a_correct_record(tmp_path: Path) -> None:
    done = invoke_arena("verify", str(write_records(tmp_path / "games.jsonl", GOOD, OTHER)))
    assert (done.exit_code, done.stdout) == (0, "2 games, all as written down\n")


def test_a_wrong_record(tmp_path: Path) -> None:
    file = str(write_records(tmp_path / "games.jsonl", GOOD, BAD, OTHER))
    done = invoke_arena("verify", file)
    assert done.exit_code == 1
    first, last = done.stdout.splitlines()
    assert first == (f"game 2: replayed, the scores are {GOOD.scores}; recorded are (1, 2, 3)")
    assert last == "3 games, 1 not as written down"
    quiet = invoke_arena("verify", "--quiet", file)
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (1, "", "")


def test_json(tmp_path: Path) -> None:
    done = invoke_arena("verify", "--json", str(write_records(tmp_path / "games.jsonl", GOOD, CUT)))
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["games"] == 2
    (different,) = found["different"]
    assert different["game"] == 2
    assert "is it cut off?" in different["error"]


def test_an_unreadable_file(tmp_path: Path) -> None:
    file = write_records(tmp_path / "games.jsonl", GOOD)
    file.write_bytes(file.read_bytes() + b'{"variant": 3}\n')
    for path, said in ((file, "line 2 is not a record"), (tmp_path / "none", "No such file")):
        done = invoke_arena("verify", str(path))
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {path}: {said}")
        assert len(done.stderr.splitlines()) == 1


def test_a_game_that_cannot_be_played(tmp_path: Path) -> None:
    (different,) = verify_file(write_records(tmp_path / "games.jsonl", UNKNOWN)).different
    assert isinstance(different, DifferentGame)
    assert "poker␛[2J" in different.error or "poker\\x1b[2J" in different.error


def test_a_run(tmp_path: Path) -> None:
    folder = create_planned_run(tmp_path / "run", cells=(Cell("stick-em", 3),))
    done = invoke_arena("verify", str(folder / "run.db"))
    assert (done.exit_code, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first == (
        "72 games in 12 blocks, all as written down, all deals from the seed committed to"
    )
    fair = next(line for line in rest if line.startswith("stick-em, 3 seats"))
    assert fair.split()[-1] == "yes"


@pytest.mark.slow
def test_a_run_that_was_tampered_with(tmp_path: Path) -> None:
    folder = create_planned_run(tmp_path / "run", cells=(Cell("stick-em", 3),))
    with Kept.open_for_writing(folder) as run:
        run.connection.execute("UPDATE game SET scores = '[9,9,9]' WHERE block = 3 AND turn = 2")
        (key,) = run.connection.execute("SELECT key FROM block WHERE id = 3").fetchone()
    done = invoke_arena("verify", str(folder))
    assert done.exit_code == 1
    first, last, *_ = done.stdout.splitlines()
    assert first.startswith(f"{key.hex()[:10]}-2: played again its scores are (")
    assert last == "72 games in 12 blocks, 1 things not as they should be"
    told = json.loads(invoke_arena("verify", "--json", str(folder)).stdout)
    assert [one["where"] for one in told["wrong"]] == [f"{key.hex()[:10]}-2"]
    quiet = invoke_arena("verify", "--quiet", str(folder))
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (1, "", "")


def test_conflicting_blocks(tmp_path: Path) -> None:
    """It is said, but it is nothing that was changed afterwards."""
    folder = create_planned_run(tmp_path / "run", cells=(Cell("stick-em", 3),), deals=1)
    with Kept.open_for_writing(folder) as run:
        plan = Plan(tournament_of_run(run.header, RunChecker(run.header).settings), run.header.seed)
        run.add(play_chunk(plan.tournament.bots, next(plan.stage_chunks(0, {})), luck=1))
    done = invoke_arena("verify", str(folder))
    assert done.exit_code == 0
    assert (
        "\n1 block came out otherwise when played again; the first result counts\n" in done.stdout
    )


def test_a_folder_that_is_not_a_run(tmp_path: Path) -> None:
    done = invoke_arena("verify", str(tmp_path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {tmp_path} is not a run; " in done.stderr
