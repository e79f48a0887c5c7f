"""A bot that is stopped computes nothing, goes on where it was, and can always be ended."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.bots.process import Process
from arena.bots.sandbox.level import Limits
from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.bots.usage import NANO
from tests.bots.conversation import heard
from tests.bots.survivors import nothing_left
from tests.match.walled import counted, uncounted

BURNS = """
import os, sys
for _ in range(2):
    if os.fork() == 0:
        while os.getppid() > 0: pass
print(1, flush=True)
while True: pass
"""

KINDS: dict[str, Callable[[], Sandbox]] = {
    "group": lambda: counted(Limits()),
    "signals, walls": lambda: uncounted(Limits()),
    "signals": lambda: OPEN,
}


@pytest.fixture(params=KINDS)
def burning(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Process]:
    """A bot that burns in three processes."""
    sandbox = KINDS[request.param]()
    (tmp_path / "bot.py").write_text(BURNS)
    bot = find(tmp_path / "bot.py")
    with nothing_left(), Launcher(sandbox) as launcher:
        process = Process(bot, launcher)
        assert heard(process) == b"1\n"
        if request.param == "group" and process.freezer.switch < 0:
            pytest.skip("there are no groups that can be stopped")
        assert (process.freezer.switch >= 0) == (request.param == "group")
        yield process
        process.close()


def spent(process: Process, seconds: float) -> float:
    """Seconds of CPU time in the next so many of real time."""
    process.look()
    before = process.cpu()
    time.sleep(seconds)
    process.look()
    return (process.cpu() - before) / NANO


def test_stopped_and_continued(burning: Process) -> None:
    for _ in range(2):
        assert spent(burning, 0.3) > 0.02
        burning.freezer.stop()
        time.sleep(0.05)
        assert spent(burning, 0.3) < 0.01
        burning.freezer.go_on()


def test_it_hears_of_its_end(burning: Process) -> None:
    """It is continued, and TERM reaches it."""
    burning.freezer.stop()
    burning.end(0.1)
    assert burning.how_it_ended(20.0) == "killed by SIGTERM"


def test_it_can_be_killed(burning: Process) -> None:
    """Also where nobody continues it: as this fixture ends, all are gone."""
    burning.freezer.stop()
    burning.launcher.end(burning.pid, 0)
    assert burning.how_it_ended(20.0) == "killed by SIGKILL"


def test_it_is_gone(burning: Process) -> None:
    burning.end(0)
    assert burning.how_it_ended(20.0)
    burning.freezer.stop()
    burning.freezer.go_on()
