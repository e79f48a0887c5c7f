"""`arena games` lists games and faults, each with what to do about it."""

import json
import os
import shlex
from pathlib import Path

import pytest

from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.store.run import Run as Kept
from tests.cli.invoke import invoke_arena
from tests.store.planned_runs import create_planned_run

pytestmark = pytest.mark.slow

CELLS = (Cell("stick-em", 3), Cell("hat-trick", 4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    terms = RefereeConfig(limits=Limits(move=0.25))
    return create_planned_run(
        tmp_path_factory.mktemp("runs") / "it's", faults=True, cells=CELLS, referee_config=terms
    )


def test_all_games_are_listed(folder: Path) -> None:
    done = invoke_arena("games", str(folder))
    assert (done.exit_code, done.stderr) == (0, "")
    with Kept.open(folder) as run:
        games = list(run.games())
    lines = done.stdout.splitlines()
    assert len(lines) == len(games) == 3 * 4 * 6 + 3 * 4
    for line, game in zip(lines, games, strict=True):
        words = line.split()
        assert words[0] == game.id
        assert words[1::3][: game.seats] == [f"{rank}." for rank in game.ranks]
        assert words[2::3][: game.seats] == list(game.bots)
        assert words[3::3][: game.seats] == [str(score) for score in game.scores]
        assert words[1 + 3 * game.seats] == game.variant
        assert ("faults:" in words) == any(game.faults)


def test_games_are_filtered(folder: Path) -> None:
    done = invoke_arena(
        "games", str(folder), "--variant", "HAT-TRICK", "--bot", "bot01", "--limit", "5"
    )
    assert len(done.stdout.splitlines()) == 5
    assert all("hat-trick" in line and "bot01" in line for line in done.stdout.splitlines())
    assert done.stderr == "the first 5 games; --limit 0 shows all\n"
    done = invoke_arena("games", str(folder), "--seats", "7")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no games\n")


def test_json(folder: Path) -> None:
    done = invoke_arena("games", str(folder), "--json", "--seats", "4", "--limit", "3")
    assert done.stderr == ""
    games = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(games) == 3
    assert games[0].keys() >= {"id", "variant", "seed", "bots", "scores", "ranks", "faults", "cpu"}
    assert all(len(game["bots"]) == 4 for game in games)


def test_faults(folder: Path) -> None:
    """Each on a line, then the command that shows it and the one that plays it again."""
    with Kept.open(folder) as run:
        faults = list(run.faults())
    assert len(faults) == 5
    done = invoke_arena("games", str(folder), "--fault")
    lines = done.stdout.splitlines()
    assert len(lines) == 15
    for number, fault in enumerate(faults):
        told, show, again = lines[3 * number : 3 * number + 3]
        assert told == (
            f"{fault.game}  {fault.variant}  {fault.bot}, seat 1: illegal: R99 is ␛[2Jno option"
        )
        assert shlex.split(show) == ["arena", "show", str(folder), fault.game]
        assert shlex.split(again) == [
            *("arena", "play", fault.variant),
            *(f"/bots/{bot}" for bot in fault.bots),
            *("--seed", str(fault.seed), "--clock", "move=0.25"),
        ]
    only = invoke_arena("games", str(folder), "--fault", "--bot", faults[0].bot, "--json").stdout
    found = [json.loads(line) for line in only.splitlines()]
    assert [one["game"] for one in found] == [
        one.game for one in faults if one.bot == faults[0].bot
    ]
    assert (found[0]["show"], found[0]["again"]) == (lines[1].strip(), lines[2].strip())


def test_paths_are_relative_to_the_current_folder(folder: Path) -> None:
    here = os.path.relpath("/bots/bot00")
    done = invoke_arena("games", str(folder), "--fault", "--limit", "1")
    assert (here if len(here) < len("/bots/bot00") else "/bots/bot00") in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bot", "bot1"], "no bot 'bot1' plays in this run; did you mean 'bot01'?"),
        (["--bot", "\x1b"], r"no bot '\x1b' plays in this run; there are bot00, bot01"),
        (["--variant", "stick-en"], "did you mean 'stick-em'?"),
    ],
)
def test_wrong_arguments_are_rejected(folder: Path, words: list[str], said: str) -> None:
    done = invoke_arena("games", str(folder), *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
