"""A bot that ends at once is a bot that ended, and not a failure of the sandbox."""

from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from tests.bots.leftover_processes import check_no_leftovers

TIMES = 30

pytestmark = pytest.mark.needs("sandbox")


@pytest.mark.slow
def test_a_bot_that_ends_at_once(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    bot, box = load_bot(script), select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    with check_no_leftovers(), Launcher(box) as launcher:
        for _ in range(TIMES):
            process = BotProcess(bot, launcher)
            assert process.exit_reason(60) == "exit status 7"
            process.end(0)
            process.close()
