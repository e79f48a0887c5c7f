"""Streams that never wait, and an end in three steps."""

import os
import signal
import time

import pytest

from arena.bots.process import READ_SIZE
from tests.bots.conftest import Run
from tests.bots.process_output import everything, heard

LONG = 60.0


def test_a_conversation(run: Run) -> None:
    process = run("", "/bin/cat")
    assert process.write(b"one\n")
    assert heard(process) == b"one\n"
    assert process.write(b"two\n")
    assert heard(process) == b"two\n"
    process.close_stdin()
    assert heard(process) == b""
    assert process.exit_reason(LONG) == "exit status 0"


def test_more_than_a_pipe_holds(run: Run) -> None:
    """What does not fit is kept, and sent in order when there is room."""
    process = run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    first, then = bytes(range(256)) * 8000, [b"more", b"and more"]
    assert not process.write(first)
    for more in then:
        process.write(more)
    while not process.write(b""):
        time.sleep(0.001)
    process.close_stdin()
    assert everything(process) == first + b"".join(then)


def test_one_read_is_bounded(run: Run) -> None:
    process = run(f"print('x' * {5 * READ_SIZE}, flush=True); input()")
    assert 0 < len(heard(process)) <= READ_SIZE


def test_nobody_reads_any_more(run: Run) -> None:
    process = run("import os; os.close(0); print(1, flush=True); import time; time.sleep(3600)")
    assert heard(process) == b"1\n"
    assert process.write(b"to nobody\n"), "its end will show elsewhere"
    assert not process.unsent


def test_both_outputs(run: Run) -> None:
    process = run("import sys; print(1); print(2, file=sys.stderr)")
    assert everything(process) == b"1\n"
    assert everything(process, process.stderr) == b"2\n"


def test_it_may_end_by_itself(run: Run) -> None:
    process = run("import sys; print(0, flush=True); sys.stdin.read(); raise SystemExit(5)")
    heard(process)
    process.end(LONG)
    assert process.exit_reason(LONG) == "exit status 5"


@pytest.mark.slow
def test_it_gets_term(run: Run) -> None:
    text = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(6))
print(0, flush=True)
while True: signal.pause()
"""
    process = run(text)
    heard(process)
    process.end(2.0)
    assert process.exit_reason(LONG) == "exit status 6"


@pytest.mark.slow
def test_term_also_if_the_supervisor_is_late(run: Run) -> None:
    """It is not killed at once because the time for both is over."""
    process = run("import signal\nprint(0, flush=True)\nwhile True: signal.pause()")
    heard(process)
    process.end(0.2)
    time.sleep(0.1)
    os.kill(process.launcher.process.pid, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(process.launcher.process.pid, signal.SIGCONT)
    assert process.exit_reason(LONG) == "killed by SIGTERM"


def test_it_is_killed(run: Run) -> None:
    text = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(0, flush=True)
while True: signal.pause()
"""
    process = run(text)
    heard(process)
    process.end(0.05)
    assert process.exit_reason(LONG) == "killed by SIGKILL"


def test_its_end_is_asked_for_twice(run: Run) -> None:
    process = run("", "/bin/cat")
    process.end(LONG)
    process.end(0)
    assert process.exit_reason(LONG)
    process.end(0)
    assert run("print(1)").exit_reason(LONG) == "exit status 0"
