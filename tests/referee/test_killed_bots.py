"""Who pays for a kill: the bot, unless the machine or somebody else has ended it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.reaper import child_pids, read_exit_status
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox, usable_cgroups
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_output
from tests.referee import sandboxes
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

LONG = 60.0
ROOT = Path(__file__).parents[2]
MACHINE = "was killed because the machine ran out of memory: use fewer workers or a lower 'memory'"

SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "none": lambda: NO_SANDBOX,
    "counted": lambda: sandboxes.sandbox_with_cgroups(ResourceLimits()),
    "uncounted": lambda: sandboxes.sandbox_without_cgroups(ResourceLimits()),
}
REAL_SANDBOXES = ["counted", "uncounted"]

HOLDS = """
import json, sys
print('{"type":"ready","games":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        hoard = hoard if message["id"] > 1 else b"x" * (%d << 20)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
"""
WAITS = "import sys; print(1, flush=True); sys.stdin.read()"


@contextmanager
def running(text: str, sandbox: Sandbox, folder: Path) -> Iterator[BotProcess]:
    """A bot that is this script."""
    script = folder / "bot.py"
    script.write_text(text)
    with check_no_leftovers(), Launcher(sandbox) as launcher:
        process = BotProcess(load_bot(script), launcher)
        yield process
        process.close()


def kernel_tells() -> bool:
    """Whether this kernel says how a process ended that somebody else has waited for."""
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    handle = os.pidfd_open(pid)
    os.waitpid(pid, 0)
    told = read_exit_status(handle) == 7 << 8
    os.close(handle)
    return told


@pytest.mark.parametrize(
    "status",
    [1, soak_only(128), soak_only(129), 137, soak_only(139), soak_only(200), soak_only(255)],
)
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_exit_statuses_are_reported(sandbox: str, status: int, tmp_path: Path) -> None:
    """Also one above 128, which is a signal's in a shell's words."""
    text = f"import os, sys; print(1, flush=True); sys.stdin.readline(); os._exit({status})"
    with running(text, SANDBOXES[sandbox](), tmp_path) as process:
        read_output(process)
        process.write(b"\n")
        said = process.exit_reason(LONG)
        assert said.split(",")[0] == f"exit status {status}"
        assert (said == f"exit status {status}") or not kernel_tells()
        assert not process.was_killed(), "it has ended itself"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, 40])
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_bot_that_kills_itself(sandbox: str, number: int, tmp_path: Path) -> None:
    text = f"import os; print(1, flush=True); os.kill(os.getpid(), {number})"
    name = signal.Signals(number).name if number < 32 else str(number)
    with running(text, SANDBOXES[sandbox](), tmp_path) as process:
        assert process.exit_reason(LONG).endswith(f"killed by {name}")
        assert not process.was_killed()
        assert not process.is_out_of_memory


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_bot_that_is_killed_by_hand(sandbox: str, tmp_path: Path) -> None:
    """Nobody can tell it from one that did so itself."""
    with running(WAITS, SANDBOXES[sandbox](), tmp_path) as process:
        read_output(process)
        os.kill(process.pid, signal.SIGKILL)
        assert process.exit_reason(LONG).endswith("killed by SIGKILL")
        assert not process.was_killed()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("sandbox", REAL_SANDBOXES)
def test_bubblewrap_is_killed(sandbox: str, number: int, tmp_path: Path) -> None:
    """Which no bot can do."""
    with running(WAITS, SANDBOXES[sandbox](), tmp_path) as process:
        read_output(process)
        (bubblewrap,) = child_pids(process.reaper_pid)
        os.kill(bubblewrap, number)
        process.exit_reason(LONG)
        assert process.was_killed()
        assert "with its sandbox" in process.external_cause


@pytest.mark.parametrize("sandbox", REAL_SANDBOXES)
def test_the_first_process_inside_is_killed(sandbox: str, tmp_path: Path) -> None:
    if not kernel_tells():
        pytest.skip("this kernel does not tell it from the end of the bot")
    with running(WAITS, SANDBOXES[sandbox](), tmp_path) as process:
        read_output(process)
        (bubblewrap,) = child_pids(process.reaper_pid)
        (init,) = child_pids(bubblewrap)
        os.kill(init, signal.SIGKILL)
        process.exit_reason(LONG)
        assert process.was_killed()


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_the_reaper_is_killed(sandbox: str, tmp_path: Path) -> None:
    with running(WAITS, SANDBOXES[sandbox](), tmp_path) as process:
        read_output(process)
        os.kill(process.reaper_pid, signal.SIGKILL)
        process.exit_reason(LONG)
        assert process.was_killed()


@pytest.fixture
def group() -> Iterator[Path]:
    """Where a process makes itself a control group for less memory, which is removed at last."""
    sandboxes.sandbox_with_cgroups(ResourceLimits())
    here = usable_cgroups()
    assert here
    folder = Path(str(here.memory))
    yield folder
    until = time.monotonic() + LONG
    for left in folder.glob("cramped-*"):
        owner = Path("/proc", left.name.removeprefix("cramped-"))
        while not owner.exists() and left.exists() and time.monotonic() < until:
            with suppress(OSError):  # who was in it has to be gone first, which takes a moment
                for inner in left.glob("*/"):
                    inner.rmdir()
                left.rmdir()
            time.sleep(0.01)


def holders(folder: Path, mib: int) -> list[str]:
    """Three bots that hold so much each."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"{name}.py" for name in ("anna", "bert", "carl")]
    for file in files:
        file.write_text(HOLDS % mib)
    return [str(file) for file in files]


@pytest.mark.parametrize(("excuse", "kind"), [("excuse", "BotKilled"), ("", "HarnessFailure")])
def test_the_machine_runs_out_of_memory(
    excuse: str, kind: str, tmp_path: Path, group: Path
) -> None:
    """Each bot keeps to its limit of 256 MiB, and together they have less: none of them pays."""
    assert group
    argv = [
        sys.executable,
        "-m",
        "tests.referee.low_memory_game",
        "230",
        excuse,
        *holders(tmp_path, 90),
    ]
    said = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert said.startswith(f"{kind}: ")
    assert said.split()[1] in {"anna", "bert", "carl"}
    assert said.rstrip().endswith(MACHINE)


def test_a_bot_runs_into_its_own_limit(tmp_path: Path, group: Path) -> None:
    """Also where the machine has little more than that."""
    assert group
    bots = [*holders(tmp_path, 300)[:1], *holders(tmp_path / "x", 1)[1:]]
    argv = [sys.executable, "-m", "tests.referee.low_memory_game", "600", "excuse", *bots]
    said = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "(0, 'memory', 'it was killed for holding more than 256 MiB')" in said
