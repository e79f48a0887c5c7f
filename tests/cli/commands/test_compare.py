"""`arena compare` says whether one bot is better than another."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from arena.cli.commands.compare import headline, print_result
from arena.cli.output import SafeConsole
from arena.ratings.sprt import SprtVerdict
from arena.referee.faults import Fault
from arena.tournaments.compare import CellComparison, ComparedBot, ComparisonResult
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.conftest import RunArena
from tests.suite.tools import strip_sandbox_warning
from tests.tournaments.small_runs import TIMEOUT, wait_for

pytestmark = pytest.mark.slow

CELL = CellComparison("sticheln", 4, 3.24, 1.1, 20.0, 40, 240)
FOUND = ComparisonResult(
    verdict="better",
    difference=0.162,
    reach=0.055,
    games=240,
    margin=0.1,
    better=4.0,
    worse=-9.0,
    bounds=(-2.97, 3.64),
    cells=(CELL,),
    a=ComparedBot("fox", "123", "a", 0),
    b=ComparedBot("owl\x1b[2J", "456", "b", 2),
    seed="x",
    interrupted=False,
)


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        ("better", "B is better than A: +3.2 ± 1.1 points a game, 240 games"),
        ("worse", "B is worse than A: +3.2 ± 1.1 points a game, 240 games"),
        ("no difference", "no difference between A and B: +3.2 ± 1.1 points a game, 240 games"),
        ("undecided", "undecided whether B is better than A: +3.2 ± 1.1 points a game, 240 games"),
    ],
)
def test_headline(verdict: SprtVerdict, line: str) -> None:
    assert headline(changed(FOUND, verdict=verdict)) == line


def test_headline_of_several_cells_and_of_no_games() -> None:
    several = changed(FOUND, cells=(CELL, CELL))
    assert headline(several) == "B is better than A: +0.16 ± 0.06 deviations, 240 games"
    nothing = changed(FOUND, verdict="undecided", games=0)
    assert headline(nothing) == "undecided whether B is better than A: nothing was played"
    fine = changed(FOUND, cells=(changed(CELL, deviation=1.8),))
    assert "+3.24 ± 1.10 points" in headline(fine)


def test_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """Who is who, what was found, the bounds, and faults; nothing a bot is called does harm."""
    fault = Fault(1, "illegal", "no such [red]card\x1b[0m")
    found = changed(FOUND, cells=(CELL, changed(CELL, variant="hat-trick", difference=-1.0)))
    print_result(SafeConsole(), found, {"owl\x1b[2J": fault})
    said = capsys.readouterr().out
    assert said.startswith("A: fox, version 123\nB: owl␛[2J, version 456\nB is better than A: ")
    assert "sticheln, 4 seats: +3.2 ± 1.1 points a game, 40 blocks; the margin is 2.0 " in said
    assert "hat-trick, 4 seats: -1.0 ± 1.1 points a game" in said
    assert "below -2.97 or above 3.64" in " ".join(said.split())
    assert "B has 2 faults, such as" in said
    assert "no such [red]card" in said
    assert "\x1b" not in said
    assert "excuse" not in said


def test_excuses_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    found = changed(FOUND, a=changed(FOUND.a, excuses=1), b=changed(FOUND.b, faults=0, excuses=30))
    print_result(SafeConsole(), found, {})
    said = capsys.readouterr().out
    why = "the machine killed it or gave it no core, and the games were played again"
    assert f"A has 1 excuse: {why}.\n" in said
    assert "B has 30 excuses: " in said


def test_wrong_arguments_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "games.jsonl").touch()
    for words, told in (
        (("lowest", "nobody"), "nobody does not exist"),
        (("lowest", "highest", "--variant", "poker"), "poker"),
        (("lowest", "highest", "--out", str(tmp_path)), "is there already; name another folder"),
    ):
        done = invoke_arena("compare", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert told in done.stderr
        assert len(strip_sandbox_warning(done.stderr).splitlines()) == 1


def test_a_few_games(run_arena: RunArena, tmp_path: Path) -> None:
    """Too few for a verdict, kept in a folder, and for a program."""
    out = tmp_path / "new" / "folder"
    words = ("--games", "6", "--seats", "3", "--seed", "x", "--json")
    done = run_arena("compare", "lowest", "highest", *words, "--out", str(out))
    assert (done.returncode, strip_sandbox_warning(done.stderr)) == (0, "")
    found = json.loads(done.stdout)
    assert (found["verdict"], found["games"], found["seed"]) == ("undecided", 6, "x")
    assert (found["a"]["name"], found["b"]["name"]) == ("lowest", "highest")
    assert found["cells"][0]["blocks"] == 1
    assert found["cells"][0]["reach"] == 0
    assert json.loads((out / "compare.json").read_text()) == found
    verified = invoke_arena("verify", str(out / "games.jsonl"))
    assert verified.stdout == "6 games, all as written down\n"


@pytest.mark.soak
@pytest.mark.parametrize("games", [12, 3000])
def test_the_same_with_any_number_of_workers(run_arena: RunArena, games: int) -> None:
    words = ("compare", "random", "ducker", "--seats", "3", "--seed", "x", "--json", "--quiet")
    one, two = (
        run_arena(*words, "--games", str(games), "--workers", workers) for workers in ("1", "2")
    )
    assert one.stdout == two.stdout
    found = json.loads(one.stdout)
    if games == 12:
        assert (found["verdict"], found["games"]) == ("undecided", 12)
        return
    assert found["verdict"] == "better"
    assert found["cells"][0]["difference"] > found["cells"][0]["reach"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "verdict"),
    [
        (6, "undecided whether B is better than A: +0.00 ± 0.00"),
        pytest.param(3000, "no difference between A and B: +0.0 ± 0.0", marks=pytest.mark.soak),
    ],
)
def test_a_bot_against_itself(run_arena: RunArena, games: int, verdict: str) -> None:
    """Bots that always do the same play every deal alike: not a point of difference."""
    words = ("--seats", "3", "--games", str(games), "--seed", "x", "--margin", "0.3")
    done = run_arena("compare", "lowest", "lowest", *words)
    assert done.returncode == 0
    assert "A: lowest (A), version" in done.stdout
    assert f"{verdict} points a game" in done.stdout
    assert "No faults." in done.stdout
    assert "Again: arena compare lowest lowest --variant sticheln" in done.stdout


@pytest.mark.slow
def test_ctrl_c_prints_the_result_so_far(tmp_path: Path) -> None:
    """Ctrl-C shows what is known so far."""
    argv = [sys.executable, "-m", "arena", "compare", "random", "random", "--margin", "0.01"]
    argv += ["--seats", "3", "--out", str(tmp_path)]
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as going,
    ):
        kept = tmp_path / "games.jsonl"
        wait_for(lambda: kept.exists() and kept.stat().st_size > 0, going)
        going.send_signal(signal.SIGINT)
        told, wrong = going.communicate(timeout=TIMEOUT)
    assert (going.returncode, strip_sandbox_warning(wrong)) == (128 + signal.SIGINT, "")
    assert "Interrupted; this is what was known." in told
    assert "undecided whether B is better than A: " in told
    assert json.loads((tmp_path / "compare.json").read_text())["interrupted"]


@pytest.mark.slow
def test_faults_are_printed(run_arena: RunArena, tmp_path: Path) -> None:
    guilty = tmp_path / "guilty.py"
    guilty.write_text("print('hello')\n")
    done = run_arena("compare", "lowest", str(guilty), "--games", "6", "--seats", "3")
    assert done.returncode == 0
    assert "B has " in done.stdout
    assert "faults, such as\nfault start  guilty" in done.stdout
