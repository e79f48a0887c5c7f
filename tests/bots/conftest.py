"""A launcher whose supervisor leaves nothing, and bots that are a line of Python or of shell."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from tests.bots.leftover_processes import check_no_leftovers

StartProgram = Callable[..., BotProcess]


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    """A launcher that is closed after the test."""
    with check_no_leftovers(), Launcher() as started:
        yield started


@pytest.fixture
def start_program(launcher: Launcher, tmp_path: Path) -> Iterator[StartProgram]:
    """Start Python programs given as text; they are ended after the test."""
    started: list[BotProcess] = []

    def python(text: str, *argv: str) -> BotProcess:
        program = argv or (sys.executable, "-c", text)
        limited = Bot("test", "1", program, tmp_path, memory=1 << 40)
        started.append(BotProcess(limited, launcher))
        return started[-1]

    yield python
    for process in started:
        process.close()
