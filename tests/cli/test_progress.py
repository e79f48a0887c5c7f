"""The progress of a step of `arena check` is shown on a terminal, not in a file."""

import os
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from arena.cli.progress import StepProgress, step_text
from arena.conformance.conversation import CheckProgress
from tests.suite.tools import strip_sandbox_warning

pytestmark = pytest.mark.slow

EXITS = Path(__file__).parent.parent / "misbehaving" / "exits.py"


@pytest.mark.parametrize(
    ("answered", "expected", "seconds", "said"),
    [
        (0, None, 9.0, "speed"),
        (0, 75.0, 9.0, "speed"),
        (1, None, 9.0, "speed, 1 question answered"),
        (20, 5120.0, 0.6, "speed, 20 questions answered"),
        (1280, 5120.0, 40.0, "speed, 1,280 questions answered, about 2:00 left"),
        (80, 75.0, 9.0, "speed, 80 questions answered, about 0:00 left"),
    ],
)
def test_step_texts(answered: int, expected: float | None, seconds: float, said: str) -> None:
    progress = CheckProgress("speed")
    progress.answer_count, progress.expected_answers = answered, expected
    assert step_text(progress, seconds) == said


@pytest.mark.parametrize("terminal", [True, False])
def test_only_on_a_terminal(terminal: bool) -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=terminal, force_interactive=terminal, width=80)
    with StepProgress(console) as display:
        for step in ("speed", "offer"):
            progress = CheckProgress(step, display.show).begin()
            progress.count_answer()
            display.hide()
    shown = screen.getvalue()
    assert ("speed" in shown, "offer, 1 question" in shown) == (terminal, terminal)
    assert terminal or not shown


def test_progress_is_printed_to_stderr(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    argv = [sys.executable, "-m", "arena", "check", str(EXITS), "--variant", "sticheln"]
    shown = b""
    with (
        (tmp_path / "output").open("w") as output,
        subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm"},
        ),
    ):
        os.close(theirs)
        with suppress(OSError):  # when it has ended and all is read
            while more := os.read(ours, 65536):
                shown += more
    os.close(ours)
    assert b"handshake" in shown
    said = (tmp_path / "output").read_text()
    assert said.startswith("Passed  1 H1  handshake")
    assert "\x1b" not in said


def test_no_progress_if_stderr_is_a_file(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "arena", "check", str(EXITS), "--variant", "sticheln"]
    with (tmp_path / "errors").open("w") as errors:
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=errors, check=False)
    assert strip_sandbox_warning((tmp_path / "errors").read_text()) == ""
