"""Streams that never wait, and an end in three steps."""

import os
import signal
import time

import pytest

from arena.bots.process import READ_SIZE
from tests.bots.conftest import StartProgram
from tests.bots.process_output import read_all_output, read_output

LONG = 60.0


def test_a_conversation(start_program: StartProgram) -> None:
    process = start_program("", "/bin/cat")
    assert process.write(b"one\n")
    assert read_output(process) == b"one\n"
    assert process.write(b"two\n")
    assert read_output(process) == b"two\n"
    process.close_stdin()
    assert read_output(process) == b""
    assert process.exit_reason(LONG) == "exit status 0"


def test_writing_more_than_a_pipe_holds(start_program: StartProgram) -> None:
    """What does not fit is kept, and sent in order when there is room."""
    process = start_program("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    first, then = bytes(range(256)) * 8000, [b"more", b"and more"]
    assert not process.write(first)
    for more in then:
        process.write(more)
    while not process.write(b""):
        time.sleep(0.001)
    process.close_stdin()
    assert read_all_output(process) == first + b"".join(then)


def test_one_read_is_bounded(start_program: StartProgram) -> None:
    process = start_program(f"print('x' * {5 * READ_SIZE}, flush=True); input()")
    assert 0 < len(read_output(process)) <= READ_SIZE


def test_writing_after_the_bot_closed_stdin(start_program: StartProgram) -> None:
    process = start_program(
        "import os; os.close(0); print(1, flush=True); import time; time.sleep(3600)"
    )
    assert read_output(process) == b"1\n"
    assert process.write(b"to nobody\n"), "its end will show elsewhere"
    assert not process.unsent


def test_both_outputs(start_program: StartProgram) -> None:
    process = start_program("import sys; print(1); print(2, file=sys.stderr)")
    assert read_all_output(process) == b"1\n"
    assert read_all_output(process, process.stderr) == b"2\n"


def test_a_bot_that_exits_by_itself(start_program: StartProgram) -> None:
    process = start_program(
        "import sys; print(0, flush=True); sys.stdin.read(); raise SystemExit(5)"
    )
    read_output(process)
    process.end(LONG)
    assert process.exit_reason(LONG) == "exit status 5"


@pytest.mark.slow
def test_ending_sends_sigterm(start_program: StartProgram) -> None:
    text = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(6))
print(0, flush=True)
while True: signal.pause()
"""
    process = start_program(text)
    read_output(process)
    process.end(2.0)
    assert process.exit_reason(LONG) == "exit status 6"


@pytest.mark.slow
def test_term_also_if_the_supervisor_is_late(start_program: StartProgram) -> None:
    """It is not killed at once because the time for both is over."""
    process = start_program("import signal\nprint(0, flush=True)\nwhile True: signal.pause()")
    read_output(process)
    process.end(0.2)
    time.sleep(0.1)
    os.kill(process.launcher.process.pid, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(process.launcher.process.pid, signal.SIGCONT)
    assert process.exit_reason(LONG) == "killed by SIGTERM"


def test_a_bot_that_ignores_sigterm_is_killed(start_program: StartProgram) -> None:
    text = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(0, flush=True)
while True: signal.pause()
"""
    process = start_program(text)
    read_output(process)
    process.end(0.05)
    assert process.exit_reason(LONG) == "killed by SIGKILL"


def test_end_can_be_called_twice(start_program: StartProgram) -> None:
    process = start_program("", "/bin/cat")
    process.end(LONG)
    process.end(0)
    assert process.exit_reason(LONG)
    process.end(0)
    assert start_program("print(1)").exit_reason(LONG) == "exit status 0"
