"""However a run is interrupted, going on with it ends where an undisturbed one does."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.store.run import Run
from arena.tournaments.config.tournament import load_tournament
from arena.tournaments.play.resume import open_run
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.conftest import MakeOnce
from tests.suite.tools import strip_sandbox_warning
from tests.tournaments import small_runs
from tests.tournaments.small_runs import ONE_BLOCK, ONE_GAME, TIMEOUT, UndisturbedRun

pytestmark = pytest.mark.slow

ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

SLOW = 1
"""When a script was last written that takes its time to answer."""

BOT = f"""
import json, os, sys, time
print('{{"type":"ready","games":1000}}', flush=True)
pause = 0.03 if os.stat(__file__).st_mtime == {SLOW} else 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        time.sleep(pause)
        answer = {{"type": "choose", "id": message["id"], "choice": message["options"][-1]}}
        print(json.dumps(answer), flush=True)
"""

BOTS = [*small_runs.KEYS["bots"][:3], "last.py"]


ON_TERMINAL = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"
"""Runs a program on the terminal that is its stdin."""


@pytest.fixture(
    scope="module", params=["random", pytest.param("rotations", marks=pytest.mark.soak)]
)
def whole(make_once: MakeOnce, request: pytest.FixtureRequest) -> UndisturbedRun:
    """The small tournament, played by two workers; blocks of one game or of one for each seat."""

    def play(folder: Path) -> None:
        (folder / "last.py").write_text(BOT)
        file, out = (
            small_runs.write_tournament(folder, bots=BOTS, seating=request.param),
            folder / "run",
        )
        small_runs.run_tournament(file, out)
        small_runs.check_whole(file, out)

    return UndisturbedRun.of(make_once(f"whole, {request.param}", play))


@contextmanager
def slowly(whole: UndisturbedRun) -> Iterator[None]:
    """Let a run take so long that it cannot have ended before a test interrupts it."""
    script = whole.file.with_name("last.py")
    os.utime(script, (SLOW, SLOW))
    try:
        yield
    finally:
        os.utime(script)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one block, with the files of its bots and its own."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "last.py").write_text(BOT)
    small_runs.invoke_tournament(tiny_file(folder), folder / "run")
    return folder


def tiny_file(folder: Path, **changes: Any) -> Path:
    """A tournament of a bot that can be changed and two that cannot."""
    bots = [*ONE_BLOCK["bots"][:2], "last.py"]
    return small_runs.write_tournament(
        folder, **(ONE_GAME | {"variants": ["stick-em"], "bots": bots} | changes)
    )


def go_on(told: str) -> None:
    """Run the command that was printed, to the end of the tournament."""
    (command,) = re.findall(r"^To go on: (.*)$", told, re.MULTILINE)
    words = shlex.split(command)
    assert words[0] == "arena"
    ended = small_runs.run_command(*words[1:])
    assert (ended.returncode, strip_sandbox_warning(ended.stderr)) == (0, "")


@pytest.mark.slow
def test_a_finished_run_has_nothing_to_play(whole: UndisturbedRun) -> None:
    ended = small_runs.run_tournament(whole.file, whole.out)
    assert f"20 blocks, {whole.games} games are kept" in ended.stdout
    whole.check_same(whole.out)


@pytest.mark.slow
def test_signals_stop_a_run(whole: UndisturbedRun, tmp_path: Path) -> None:
    """One session is asked to stop once, the next one twice, and the third plays to the end.

    Ctrl-C is pressed at a terminal below, and all signals come at any moment.
    """
    out, single, double = tmp_path / "run", signal.SIGTERM, signal.SIGHUP
    with (
        slowly(whole),
        check_no_leftovers(TIMEOUT),
        small_runs.start_tournament(whole.file, out) as process,
    ):
        small_runs.wait_for(lambda: small_runs.count_blocks(out) >= 2, process)
        os.killpg(process.pid, single)
        ended = small_runs.wait_for_end(process)
    kept_what_was_played(ended, single, whole, out)
    count = small_runs.count_blocks(out)
    with (
        slowly(whole),
        check_no_leftovers(TIMEOUT),
        small_runs.start_tournament(whole.file, out) as process,
    ):
        small_runs.wait_for(partial(small_runs.is_playing, process.pid), process)
        os.killpg(process.pid, double)
        small_runs.wait_for(lambda: not pending(process.pid, double), process)
        os.killpg(process.pid, double)
        ended = small_runs.wait_for_end(process)
    assert (ended.returncode, ended.stderr) == (128 + double, "")
    assert f"Interrupted. {small_runs.count_blocks(out)} blocks" in ended.stdout
    assert count <= small_runs.count_blocks(out) < len(whole.contents), (
        "what is being played is dropped"
    )
    go_on(ended.stdout)
    whole.check_same(out)


def pending(pid: int, number: int) -> bool:
    """Whether a signal has been sent to a process that it has not yet taken."""
    status = Path(f"/proc/{pid}/status").read_text()
    sets = re.findall(r"^(?:SigPnd|ShdPnd):\t(\w+)$", status, re.MULTILINE)
    return any(int(each, 16) >> (number - 1) & 1 for each in sets)


def kept_what_was_played(
    ended: small_runs.CompletedCommand, number: int, whole: UndisturbedRun, out: Path
) -> None:
    """Nothing new was begun, what was being played is kept, and how to go on is printed."""
    assert (ended.returncode, ended.stderr) == (128 + number, "")
    count = small_runs.count_blocks(out)
    assert f"Interrupted. {count} blocks" in ended.stdout
    assert "To go on: arena run " in ended.stdout
    assert 2 <= count < len(whole.contents)
    before = small_runs.run_contents(out)
    assert before == {key: whole.contents[key] for key in before}


@pytest.mark.soak
def test_signals_at_any_moment(whole: UndisturbedRun, tmp_path: Path) -> None:
    """Also while the program is loaded, or workers start; again and again, once or twice."""
    chance = Random(0)
    out = tmp_path / "run"
    for number in 2 * ASKING:
        with check_no_leftovers(TIMEOUT), small_runs.start_tournament(whole.file, out) as process:
            time.sleep(chance.uniform(0, 3))
            for _ in range(chance.choice((1, 1, 2))):
                os.killpg(process.pid, number)
                time.sleep(chance.uniform(0, 0.3))
            ended = small_runs.wait_for_end(process)
        if ended.returncode != -number:  # else it came before the first line of the program
            assert ended.returncode in {0, 128 + number}
            assert "Traceback" not in ended.stdout + ended.stderr
    small_runs.run_tournament(whole.file, out)
    whole.check_same(out)


@pytest.mark.slow
def test_ctrl_c_on_a_terminal(whole: UndisturbedRun, tmp_path: Path) -> None:
    """It reaches all processes at once, at first those that are just being loaded."""
    out = tmp_path / "run"
    with slowly(whole):
        press_ctrl_c(whole.file, out, lambda pid: small_runs.find_children([pid], "spawn_main"))
        before = small_runs.count_blocks(out)
        press_ctrl_c(whole.file, out, lambda _: small_runs.count_blocks(out) > before)
    small_runs.run_tournament(whole.file, out)
    whole.check_same(out)


def press_ctrl_c(file: Path, out: Path, when: Callable[[int], object]) -> None:
    """Play on a terminal, and interrupt that at a moment."""
    ours, theirs = os.openpty()
    argv = [sys.executable, "-m", "arena", "run", str(file), "--out", str(out)]
    shown: list[bytes] = []
    reading = Thread(target=read_all, args=(ours, shown))
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen([sys.executable, "-c", ON_TERMINAL, *argv], stdin=theirs) as process,
    ):
        os.close(theirs)
        reading.start()
        small_runs.wait_for(lambda: when(process.pid))
        os.write(ours, b"\x03")
        reading.join(TIMEOUT)
    os.close(ours)
    text = b"".join(shown).decode(errors="replace")
    assert process.returncode == 128 + signal.SIGINT
    assert "Traceback" not in text
    assert "To go on: " in text


def read_all(terminal: int, shown: list[bytes]) -> None:
    """Everything that is shown until nobody is left who could."""
    with suppress(OSError):
        while True:
            shown.append(os.read(terminal, 65536))


@pytest.mark.soak
def test_more_deals_bots_and_variants(whole: UndisturbedRun, tmp_path: Path) -> None:
    """What is there stays, and what is missing is played."""
    out = tmp_path / "run"
    shutil.copy(whole.file.with_name("last.py"), tmp_path)
    same = {"seating": whole.seating}
    fewer = small_runs.write_tournament(tmp_path, **same, deals=2, seats=3, bots=BOTS[1:])
    small_runs.invoke_tournament(fewer, out)
    before = small_runs.run_contents(out)
    assert before == {key: whole.contents[key] for key in before}
    ended = small_runs.run_tournament(small_runs.write_tournament(tmp_path, **same, bots=BOTS), out)
    assert "Since the last time: 'deals' was 2 and is now 4" in ended.stdout
    assert "Since the last time: ducker is new" in ended.stdout
    assert "Since the last time: stick-em with 4 seats is new" in ended.stdout
    assert len(before) == 2
    left = whole.games - 2 * (3 if whole.seating == "rotations" else 1)
    assert f"{left} games in " in ended.stdout, "all but two blocks"
    whole.check_same(out)


@pytest.mark.slow
def test_two_commands_for_one_run(whole: UndisturbedRun, tmp_path: Path) -> None:
    """The second is refused, and the first, with one worker, comes to what two come to."""
    out = tmp_path / "run"
    with small_runs.start_tournament(whole.file, out, workers=1) as process:
        with slowly(whole):
            small_runs.wait_for(lambda: small_runs.count_blocks(out), process)
            second = invoke_arena("run", whole.file, "--out", out, columns=10_000)
        assert isinstance(second.exception, SystemExit)
        said = small_runs.CompletedCommand((), second.exit_code, second.stdout, second.stderr)
        small_runs.check_refused(said, out, f"is being played by process {process.pid}")
        ended = small_runs.wait_for_end(process)
    assert (ended.returncode, ended.stderr) == (0, "")
    whole.check_same(out)


CHANGES: dict[str, dict[str, Any]] = {
    "'clock' was {": {"clock": {"move": 2}},
    "stick-em with 3 seats is gone": {"variants": ["sticheln"]},
    "ducker is gone": {"bots": ["ladder:lowest", "ladder:first-legal", "last.py"]},
    "the seed is another one": {"seed": "another secret"},
    "'seating' was random and is now balanced": {"seating": None},
    "'tables' was all and is now {sample: 1}": {"tables": {"sample": 1}},
    "'faults' was {policy: stand-in, retire: 10}": {"faults": "forfeit"},
    "'anonymous' was true and is now false": {"anonymous": False},
}
"""What is said of each change to a tournament's file."""


def as_it_was(tiny: Path) -> tuple[dict[bytes, object], str, str]:
    """All that a refused attempt must not change."""
    out = tiny / "run"
    with Run.open(out) as run:
        return small_runs.run_contents(out), (out / "tournament.yaml").read_text(), str(run.header)


def test_another_file_is_refused(tiny: Path) -> None:
    before = as_it_was(tiny)
    for sentence, changes in CHANGES.items():
        changed = load_tournament(tiny_file(tiny, **changes))
        with pytest.raises(
            ArenaError, match=re.escape(f"{tiny / 'run'} holds another run: ")
        ) as no:
            open_run(changed, tiny / "run")
        assert sentence in str(no.value)
        assert as_it_was(tiny) == before


def test_a_changed_bot_is_refused(tiny: Path) -> None:
    before = as_it_was(tiny)
    file, out, script = tiny_file(tiny), tiny / "run", tiny / "last.py"
    script.write_text(BOT.replace("[-1]", "[0]"))
    ended = small_runs.run_command("run", file, "--out", out)
    sentence = "last is another version than this run began with"
    small_runs.check_refused(ended, f"{out} holds another run: ", sentence, "--out FOLDER")
    assert as_it_was(tiny) == before
    script.write_text(BOT)
    assert "1 block, 1 game are kept" in small_runs.run_tournament(file, out).stdout
    assert as_it_was(tiny)[0] == before[0]


@pytest.mark.slow
def test_fewer_deals_are_refused(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny, folder)
    small_runs.invoke_tournament(tiny_file(folder, deals=2), folder / "run")
    before = as_it_was(folder)
    ended = small_runs.run_command("run", tiny_file(folder), "--out", folder / "run")
    small_runs.check_refused(ended, "'deals' was 2 and is now 1")
    assert as_it_was(folder) == before
