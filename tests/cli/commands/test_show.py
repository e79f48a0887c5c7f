"""`arena show` tells everything about a game."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.report.data.game_details import load_game_details
from arena.store.block import StoredGame as KeptGame
from arena.store.block import pack_games, unpack_games
from arena.store.run import Run as Kept
from arena.tournaments.verify import FileVerification, verify_file
from tests.cli.invoke import invoke_arena
from tests.store.blocks import make_block, make_header
from tests.store.planned_runs import create_planned_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_planned_run(
        tmp_path_factory.mktemp("runs") / "run", faults=True, cells=(Cell("stick-em", 3),)
    )


@pytest.fixture(scope="module")
def guilty(folder: Path) -> str:
    """The first game with a fault."""
    with Kept.open(folder) as run:
        return next(run.games(fault=True)).id


def test_a_whole_game(folder: Path, guilty: str) -> None:
    with Kept.open(folder) as run:
        kept = run.stored_game(guilty)
        others = [game.id for game in run.games() if game.id[:10] == guilty[:10]]
    done = invoke_arena("show", str(folder), guilty, columns=200)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"game {guilty}, deal {kept.record.seed}" in done.stdout
    assert "stick-em, 3 seats, 135 decisions" in done.stdout
    for seat, score in enumerate(kept.record.scores):
        name = kept.record.bots[seat].name
        assert any(
            line.split()[:4] == [str(kept.record.ranks[seat]), str(seat), name, str(score)]
            for line in done.stdout.splitlines()
        )
    name = kept.record.bots[1].name
    assert f"fault illegal  {name}, seat 1, choice 4: R99 is ␛[2Jno option" in done.stdout
    assert f"stderr of {name}, seat 1\n" in done.stdout
    assert "oh ␛[2Jno" in done.stdout
    assert len(others) == 6
    for other in others:
        assert (f"\n  {other} " in done.stdout) == (other != guilty)
    assert f"arena show {folder} {guilty} --watch" in done.stdout
    assert f"arena play stick-em /bots/{kept.record.bots[0].name}" in done.stdout
    assert "\x1b" not in done.stdout


def test_an_abbreviated_id(folder: Path, guilty: str) -> None:
    done = invoke_arena("show", str(folder), f"{guilty[:7]}-0")
    assert done.stdout.startswith(f"game {guilty},")


def test_json(folder: Path, guilty: str) -> None:
    done = invoke_arena("show", str(folder), guilty, "--json")
    told = json.loads(done.stdout)
    assert told["id"] == guilty
    assert told["record"]["variant"] == "stick-em"
    assert told["record"]["faults"][0]["text"] == "R99 is \x1b[2Jno option"
    assert told["stderr"][1] == "oh \x1b[2Jno\n"
    assert [game["id"] for game in told["games"]] == [f"{guilty[:10]}-{turn}" for turn in range(6)]
    assert told["session"]["code"] == "code"
    assert told["again"].startswith("arena play stick-em ")


def test_the_record_is_saved(folder: Path, guilty: str, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    done = invoke_arena("show", str(folder), guilty, "--record", str(file), columns=200)
    assert f"arena replay {file}" in done.stdout
    assert verify_file(file) == FileVerification(1, ())
    watched = invoke_arena("show", str(folder), guilty, "--watch")
    assert watched.stdout == invoke_arena("replay", str(file), "--watch").stdout
    refused = invoke_arena("show", str(folder), guilty, "--record", str(tmp_path / "none" / "x"))
    assert refused.exit_code == 2
    assert "make it first" in refused.stderr


def test_unknown_ids_are_rejected(folder: Path) -> None:
    for id_, said in (("nothing", "is no game's id"), ("00000000-0", "did you mean ")):
        done = invoke_arena("show", str(folder), id_)
        assert (done.exit_code, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_notes(tmp_path: Path) -> None:
    one = make_block()
    record = replace(unpack_games(one.packed_games)[0].record, notes={7: "hm\x1b[2J"})
    noted = replace(
        one, packed_games=pack_games([KeptGame(record), *unpack_games(one.packed_games)[1:]])
    )
    with Kept.create(tmp_path, make_header()) as run:
        run.add([noted])
    assert "choice 7 hm␛[2J" in invoke_arena("show", str(tmp_path), f"{one.key.hex()}-0").stdout


def test_a_game_that_is_not_whole(tmp_path: Path) -> None:
    one = replace(make_block(), packed_games=pack_games(()))
    with Kept.create(tmp_path, make_header()) as run:
        run.add([one])
        with pytest.raises(ArenaError, match="is not whole; see arena verify"):
            load_game_details(run, f"{one.key.hex()}-0")
