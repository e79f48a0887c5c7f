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

pytestmark = pytest.mark.slow

LONG = 60.0
"""Seconds that are enough on a busy machine."""

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


def spent(process: Process) -> float:
    """Seconds of CPU time so far."""
    process.look()
    return process.cpu() / NANO


def burns_on(process: Process) -> bool:
    """Whether it uses CPU time, for which it may have to wait on a busy machine."""
    until, enough = time.monotonic() + LONG, spent(process) + 0.02
    while (burnt := spent(process) >= enough) is False and time.monotonic() < until:
        time.sleep(0.02)
    return burnt


def rests(process: Process) -> bool:
    """Whether it soon uses no more CPU time; what has a core notices a little later."""
    for _ in range(5):
        before = spent(process)
        time.sleep(0.3)
        if spent(process) - before < 0.01:
            return True
    return False


def test_stopped_and_continued(burning: Process) -> None:
    for _ in range(2):
        assert burns_on(burning)
        burning.freezer.stop()
        assert rests(burning)
        burning.freezer.go_on()


def test_it_hears_of_its_end(burning: Process) -> None:
    """It is continued, and TERM reaches it."""
    burning.freezer.stop()
    burning.end(0.1)
    assert burning.how_it_ended(LONG) == "killed by SIGTERM"


def test_it_can_be_killed(burning: Process) -> None:
    """Also where nobody continues it: as this fixture ends, all are gone."""
    burning.freezer.stop()
    burning.launcher.end(burning.pid, 0)
    assert burning.how_it_ended(LONG) == "killed by SIGKILL"


def test_it_is_gone(burning: Process) -> None:
    burning.end(0)
    assert burning.how_it_ended(LONG)
    burning.freezer.stop()
    burning.freezer.go_on()
