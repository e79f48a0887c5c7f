"""`arena ladder timer` lets a machine play every night."""

import shlex
from pathlib import Path

import pytest
from click.testing import Result

from arena.ladder.folder import Ladder
from arena.ladder.timer import arena_program
from tests.cli.invoke import invoke_arena
from tests.ladder import factories


def timer(ladder: Ladder, *words: str) -> Result:
    return invoke_arena("ladder", "timer", ladder.folder, *words, columns=200)


def test_a_line_for_cron(empty_ladder: Ladder) -> None:
    done = timer(empty_ladder, "--cron", "--at", "23:05", "--until", "6:00")
    assert (done.exit_code, done.stderr) == (0, "")
    fields = shlex.split(done.stdout)
    assert fields[:5] == ["5", "23", "*", "*", "*"]
    assert fields[5:] == [
        *(
            arena_program(),
            "ladder",
            "night",
            str(empty_ladder.folder.resolve()),
            "--until",
            "6:00",
            "--quiet",
        ),
    ]


def test_files_for_systemd(empty_ladder: Ladder, tmp_path: Path) -> None:
    units = tmp_path / "units"
    done = timer(empty_ladder, "--into", str(units), "--for", "90m")
    assert (done.exit_code, done.stderr) == (0, "")
    assert {path.name for path in units.iterdir()} == {
        "stichkampf-small.service",
        "stichkampf-small.timer",
    }
    service = (units / "stichkampf-small.service").read_text()
    assert f" ladder night {empty_ladder.folder} --for 90m --quiet\n" in service
    assert "OnCalendar=*-*-* 02:00:00\n" in (units / "stichkampf-small.timer").read_text()
    assert "systemctl --user enable --now stichkampf-small.timer" in done.stdout
    again = timer(empty_ladder, "--into", str(units), "--at", "04:00")
    assert again.exit_code == 0
    assert "OnCalendar=*-*-* 04:00:00\n" in (units / "stichkampf-small.timer").read_text()


def test_another_ladder_of_this_name_keeps_its_timer(empty_ladder: Ladder, tmp_path: Path) -> None:
    units = tmp_path / "units"
    assert timer(empty_ladder, "--into", str(units)).exit_code == 0
    before = {path: path.read_text() for path in units.iterdir()}
    other = factories.create_ladder(tmp_path / "other")
    done = timer(other, "--into", str(units))
    assert done.exit_code == 2
    assert "plays another ladder of this name; remove it, or give one of them" in done.stderr
    assert {path: path.read_text() for path in units.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--at", "2"), "--at takes a time of day such as 02:00, not '2'"),
        (("--at", "24:00"), "--at takes a time of day"),
        (("--at", "02:00:00\n[Service]"), "--at takes a time of day"),
        (("--at", "٠2:00"), "--at takes a time of day"),
        (("--for", "2h", "--until", "06:00"), "say one of --for and --until"),
        (("--for", "long"), "'long' is no time; it takes a time such as 2h"),
        (("--for", ""), "'' is no time"),
        (("--until", "six"), "'six' is no time of day; it takes one such as 06:00"),
        (("--until", "06:00 --sandbox none"), "is no time of day"),
        (("--into", "/sys/units"), "/sys/units cannot be written: "),
    ],
)
def test_wrong_arguments_are_rejected(
    empty_ladder: Ladder, words: tuple[str, ...], said: str
) -> None:
    done = timer(empty_ladder, *words, *(() if "--into" in words else ("--cron",)))
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_a_folder_that_is_not_a_ladder(tmp_path: Path) -> None:
    done = invoke_arena("ladder", "timer", tmp_path, "--cron")
    assert done.exit_code == 2
    assert "is not a ladder" in done.stderr


@pytest.mark.parametrize("name", ["a b", "100%", "$HOME", "it's", 'say "hi"'])
def test_folders_with_odd_names(empty_ladder: Ladder, tmp_path: Path, name: str) -> None:
    moved = empty_ladder.folder.rename(tmp_path / name)
    for words in (("--cron",), ("--into", str(tmp_path / "units"))):
        assert invoke_arena("ladder", "timer", moved, *words).exit_code == 0


def test_a_folder_whose_name_a_timer_cannot_hold(empty_ladder: Ladder, tmp_path: Path) -> None:
    moved = empty_ladder.folder.rename(tmp_path / "a\n* * * * * echo")
    for words in (("--cron",), ("--into", str(tmp_path / "units"))):
        done = invoke_arena("ladder", "timer", moved, *words)
        assert done.exit_code == 2
        assert "has a name that no timer can be given; rename it" in done.stderr
    assert not list(tmp_path.glob("units/*"))
