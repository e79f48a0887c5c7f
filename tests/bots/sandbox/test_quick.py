"""A bot that ends at once is a bot that ended, and no failure of the walls."""

from pathlib import Path

import pytest

from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.bots.process import Process
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.sandbox import chosen
from tests.bots.survivors import nothing_left

TIMES = 30

pytestmark = pytest.mark.needs("sandbox")


@pytest.mark.slow
def test_a_bot_that_ends_at_once(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    bot, box = find(script), chosen(Level.STANDARD, Limits())
    with nothing_left(), Launcher(box) as launcher:
        for _ in range(TIMES):
            process = Process(bot, launcher)
            assert process.how_it_ended(60) == "exit status 7"
            process.end(0)
            process.close()
