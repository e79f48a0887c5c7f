"""Commands on a folder whose manifest is made to keep them busy: a sentence, at little cost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bots.test_manifest import BOMBS, written
from tests.ladder import places

SENT = ("nine levels of aliases", "merge keys", "many arguments", "an octal number")
MEMORY = 256 << 10
"""KiB of a command's largest process."""


@pytest.mark.parametrize("bomb", SENT)
@pytest.mark.parametrize("words", [["play", "sticheln", "random", "random"], ["check"], ["submit"]])
def test_a_sentence(tmp_path: Path, bomb: str, words: list[str]) -> None:
    text, said = BOMBS[bomb]
    bot = tmp_path / "bot"
    bot.mkdir()
    written(bot, text)
    more = ["--to", str(places.new(tmp_path / "ladder").folder)] if words == ["submit"] else []
    with (tmp_path / "printed").open("w") as printed:
        argv = [sys.executable, "-m", "arena", *words, str(bot), *more]
        process = subprocess.Popen(argv, stdout=printed, stderr=printed)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == (1 if words == ["submit"] else 2)
    shown = (tmp_path / "printed").read_text()
    assert said in " ".join(shown.split())
    assert "Traceback" not in shown
    assert used.ru_maxrss < MEMORY
