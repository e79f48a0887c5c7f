"""CPU time and memory are those of a bot and everything it has started."""

import os
import time
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.resource_usage import (
    NS_PER_SECOND,
    count_entries,
    cpu_clock_id,
    read_clock,
    thread_states,
    tree_usage,
)
from arena.bots.sandbox.limits import ResourceLimits
from tests.bots.conftest import StartProgram
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_output
from tests.referee.sandboxes import sandbox_without_cgroups

pytestmark = pytest.mark.slow

BURN = """
import os, sys, time
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
"""
SAY = "\nprint(1, flush=True); sys.stdin.read()"
LONG = 60.0
"""Seconds that are enough on a busy machine."""

TICKS = 0.03
"""Seconds that may be lost, as the kernel counts some of it in ticks."""


def spent(process: BotProcess) -> float:
    """Seconds of CPU time once it has said that it is done."""
    assert read_output(process) == b"1\n"
    process.update_usage()
    return process.cpu_time() / NS_PER_SECOND


def test_cpu_time_of_the_process(start_program: StartProgram) -> None:
    assert 0.3 <= spent(start_program(BURN + "burn(0.3)" + SAY)) < 3


def test_cpu_time_of_threads(start_program: StartProgram) -> None:
    text = "import threading\ntwo = [threading.Thread(target=burn, args=[0.2]) for _ in 'ab']\n"
    both = "for t in two: t.start()\nfor t in two: t.join()"
    assert spent(start_program(BURN + text + both + SAY)) >= 0.2


def test_sleep_costs_no_cpu_time(start_program: StartProgram) -> None:
    assert spent(start_program("import sys, time; time.sleep(0.5)" + SAY)) < 0.4


CHILDREN = {
    "ended": """
if os.fork() == 0:
    burn(0.3); os._exit(0)
os.wait()
""",
    "still there": """
reader, writer = os.pipe()
if os.fork() == 0:
    burn(0.3); os.write(writer, b'1'); time.sleep(3600)
os.read(reader, 1)
""",
    "grandchild": """
if os.fork() == 0:
    if os.fork() == 0:
        burn(0.3); os._exit(0)
    os.wait(); os._exit(0)
os.wait()
""",
    "orphan": """
reader, writer = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        burn(0.3); os.write(writer, b'1'); time.sleep(3600)
    os._exit(0)
os.wait(); os.read(reader, 1)
""",
}


@pytest.mark.parametrize("child", CHILDREN)
def test_cpu_time_of_children(start_program: StartProgram, child: str) -> None:
    assert spent(start_program(BURN + CHILDREN[child] + SAY)) >= 0.3 - TICKS


def test_cpu_time_never_decreases(start_program: StartProgram) -> None:
    """An orphan's time is gone with it, unless it was seen before."""
    text = """
reader, writer = os.pipe()
if os.fork() == 0:
    if os.fork() == 0: burn(0.3); os.write(writer, b'1'); sys.stdin.read(1); os._exit(0)
    os._exit(0)
os.wait(); os.read(reader, 1)
print(1, flush=True); os.read(reader, 1); time.sleep(3600)
"""
    process = start_program(BURN + text)
    before = spent(process)
    process.write(b"x")
    process.close_stdin()
    time.sleep(0.1)
    process.update_usage()
    assert process.cpu_time() / NS_PER_SECOND >= before >= 0.3 - TICKS


@pytest.mark.parametrize("fork", ["", "if os.fork(): time.sleep(3600)\n"], ids=["own", "child"])
def test_memory(start_program: StartProgram, fork: str) -> None:
    process = start_program(f"import os, sys, time\n{fork}hoard = b'x' * (50 << 20){SAY}")
    read_output(process)
    assert 50 << 20 <= process.update_usage().memory < 90 << 20


def test_memory_that_was_given_back(start_program: StartProgram) -> None:
    process = start_program("import sys\nhoard = b'x' * (50 << 20)\ndel hoard" + SAY)
    read_output(process)
    assert process.update_usage().memory < 50 << 20


def test_the_threads_of_all_its_processes(start_program: StartProgram) -> None:
    text = """
import threading
threading.Thread(target=time.sleep, args=[3600], daemon=True).start()
if os.fork() == 0:
    while True: pass
"""
    process = start_program(BURN + text + SAY)
    read_output(process)
    until = time.monotonic() + LONG
    while True:
        found = thread_states(process.reaper_pid)
        busy = [number for number, thread in found.items() if thread.is_runnable]
        burnt = [found[number].ran + found[number].waited > NS_PER_SECOND // 20 for number in busy]
        if burnt == [True] or time.monotonic() > until:
            break
        time.sleep(0.02)  # the others may still wait for a core to fall asleep on
    assert len(found) == 3
    assert burnt == [True]
    assert busy != [process.pid]


def test_an_ended_process_has_no_threads(start_program: StartProgram) -> None:
    process = start_program("print(1)")
    assert process.exit_reason(LONG)
    assert thread_states(process.reaper_pid) == {}


def test_files_in_the_sandbox(tmp_path: Path) -> None:
    """Those of its own folders, and not those of the machine."""
    script = tmp_path / "bot.py"
    text = """
import pathlib, sys
for number in range(30): pathlib.Path(f"/tmp/{number}").touch()
pathlib.Path("/dev/shm/one").touch()
"""
    script.write_text(text + SAY)
    command = sandbox_without_cgroups(ResourceLimits())
    with check_no_leftovers(), Launcher(command) as launcher:
        process = BotProcess(load_bot(script), launcher)
        read_output(process)
        assert 20 <= count_entries(process.pid) <= 100, "each core counts for itself"
        process.end(0)
        assert process.exit_reason(LONG)
        assert count_entries(process.pid) == 0
        process.close()


def test_cpu_time_of_an_ended_process(start_program: StartProgram) -> None:
    process = start_program(BURN + "burn(0.1)" + SAY)
    read_output(process)
    before = process.cpu_time()
    process.close_stdin()
    assert process.exit_reason(LONG)
    assert read_clock(cpu_clock_id(process.pid)) is None
    assert process.cpu_time() >= before > 0
    assert process.update_usage().memory == 0
    assert tree_usage(process.pid, process.reaper_pid, memory=True).cpu == 0


def test_the_clock_is_that_of_the_process() -> None:
    found = read_clock(cpu_clock_id(os.getpid()))
    assert found is not None
    assert abs(found - time.process_time_ns()) < NS_PER_SECOND
