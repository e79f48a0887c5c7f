"""Help, versions, and errors that are one sentence."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import COMMANDS
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.conftest import RunArena
from tests.tournaments.small_runs import TIMEOUT, wait_for


def test_help_names_every_command(run_arena: RunArena) -> None:
    done = run_arena("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"\n  {command} " in done.stdout
    assert invoke_arena("-h", columns=80).stdout == done.stdout


def test_version(run_arena: RunArena) -> None:
    assert run_arena("--version").stdout.startswith("arena, version ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "sticheln+hazy+delayed"], "did you mean 'sticheln+delayed'?"),
        (["rules", "stichelm"], "did you mean 'sticheln'?"),
    ],
)
def test_an_error_is_one_sentence(run_arena: RunArena, words: list[str], said: str) -> None:
    done = run_arena(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("Error: ")
    assert said in done.stderr


def test_an_unknown_command(run_arena: RunArena) -> None:
    done = run_arena("rulez")
    assert done.returncode == 2
    assert "No such command 'rulez'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode(run_arena: RunArena) -> None:
    done = run_arena("rules", "sticheln+reverse", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "? Equal totals share the victory." in done.stdout


def test_a_closed_pipe_ends_quietly() -> None:
    """The exit status is that of other programs."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m arena variants | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stderr == ""


def test_output_that_cannot_be_written() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "variants"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: the output cannot be written: no space left on device\n"


INTERRUPTED_AT_THE_END = """
import os, sys
from arena.__main__ import main

class Interrupt:
    kill, pid = os.kill, os.getpid()  # modules may be gone when __del__ runs

    def __del__(self):
        self.kill(self.pid, 2)

interrupt = Interrupt()
sys.argv = ["arena", "--version"]
main()
"""
"""A program that sends itself SIGINT when Python frees its module, after all exit handlers.

By then Python has restored the default action of each signal that had a handler.
"""

INTERRUPTED_AT_THE_START = """
import builtins, sys
from arena.__main__ import main

def load(name, *rest, original=builtins.__import__):
    if name == "arena.cli.main":
        raise KeyboardInterrupt
    return original(name, *rest)

builtins.__import__ = load
main()
"""
"""A program in which Ctrl-C arrives while the command line is imported."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "status"), [(INTERRUPTED_AT_THE_END, 0), (INTERRUPTED_AT_THE_START, 130)]
)
def test_interrupted_at_the_start_or_end(program: str, status: int) -> None:
    """Ctrl-C prints no traceback while arena starts, and has no effect after it has finished."""
    done = subprocess.run(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals(tmp_path: Path, number: signal.Signals) -> None:
    """It ends in order, says how to play the game again, and leaves no bot behind."""
    script = tmp_path / "waits.py"
    script.write_text('print(\'{"type":"ready"}\', flush=True)\nimport time\ntime.sleep(3600)\n')
    command = [sys.executable, "-m", "arena", "play", "sticheln", str(script), "random", "random"]
    logs = tmp_path / "logs"
    with check_no_leftovers():
        playing = subprocess.Popen(
            [*command, "--seed", "1", "--no-clock", "--logs", str(logs)],
            stdout=subprocess.PIPE,
            text=True,
        )
        talk = logs / "seat0-waits.talk"
        wait_for(lambda: talk.exists() and b'"decide"' in talk.read_bytes(), playing)
        playing.send_signal(number)
        said, _ = playing.communicate(timeout=TIMEOUT)
    assert playing.returncode == 128 + number
    if number == signal.SIGINT:
        assert f"{script} random random --seed 1 --no-clock" in said


INTERRUPTED_IN_A_CALLBACK = """
import os, signal, sys, time, weakref
from arena.cli.main import arena, main

class Target:
    pass

@arena.command("wait")
def wait():
    target = Target()
    kept = weakref.ref(target, lambda _: (os.kill(os.getpid(), int(sys.argv[1])), time.sleep(0.1)))
    del target
    time.sleep(60)

arena.names += ("wait",)
arena.get_command = lambda ctx, name: wait
main(["wait"])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_a_callback_ends_the_command(number: signal.Signals) -> None:
    """Python drops exceptions of such callbacks, for example while it imports a module."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IN_A_CALLBACK, str(int(number))],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 128 + number
    assert done.stderr.strip() == ""
