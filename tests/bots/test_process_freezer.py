"""A bot that is stopped computes nothing, goes on where it was, and can always be ended."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.resource_usage import NS_PER_SECOND
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_output
from tests.referee.sandboxes import sandbox_with_cgroups, sandbox_without_cgroups

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
    "group": lambda: sandbox_with_cgroups(ResourceLimits()),
    "signals, sandbox": lambda: sandbox_without_cgroups(ResourceLimits()),
    "signals": lambda: NO_SANDBOX,
}


@pytest.fixture(params=KINDS)
def burning(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BotProcess]:
    """A bot that burns in three processes."""
    sandbox = KINDS[request.param]()
    (tmp_path / "bot.py").write_text(BURNS)
    bot = load_bot(tmp_path / "bot.py")
    with check_no_leftovers(), Launcher(sandbox) as launcher:
        process = BotProcess(bot, launcher)
        assert read_output(process) == b"1\n"
        if request.param == "group" and process.freezer.freeze_file < 0:
            pytest.skip("there are no groups that can be stopped")
        assert (process.freezer.freeze_file >= 0) == (request.param == "group")
        yield process
        process.close()


def spent(process: BotProcess) -> float:
    """Seconds of CPU time so far."""
    process.update_usage()
    return process.cpu_time() / NS_PER_SECOND


def burns_on(process: BotProcess) -> bool:
    """Whether it uses CPU time, for which it may have to wait on a busy machine."""
    until, enough = time.monotonic() + LONG, spent(process) + 0.02
    while (burnt := spent(process) >= enough) is False and time.monotonic() < until:
        time.sleep(0.02)
    return burnt


def rests(process: BotProcess) -> bool:
    """Whether it soon uses no more CPU time; what has a core notices a little later."""
    for _ in range(5):
        before = spent(process)
        time.sleep(0.3)
        if spent(process) - before < 0.01:
            return True
    return False


def test_stopped_and_continued(burning: BotProcess) -> None:
    for _ in range(2):
        assert burns_on(burning)
        burning.freezer.freeze()
        assert rests(burning)
        burning.freezer.thaw()


def test_a_frozen_bot_receives_sigterm(burning: BotProcess) -> None:
    """It is continued, and TERM reaches it."""
    burning.freezer.freeze()
    burning.end(0.1)
    assert burning.exit_reason(LONG) == "killed by SIGTERM"


def test_a_frozen_bot_can_be_killed(burning: BotProcess) -> None:
    """Also where nobody continues it: as this fixture ends, all are gone."""
    burning.freezer.freeze()
    burning.launcher.end(burning.pid, 0)
    assert burning.exit_reason(LONG) == "killed by SIGKILL"


def test_freezing_an_ended_bot(burning: BotProcess) -> None:
    burning.end(0)
    assert burning.exit_reason(LONG)
    burning.freezer.freeze()
    burning.freezer.thaw()
