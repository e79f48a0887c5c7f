"""Commands on a folder whose manifest is made to keep them busy: a sentence, at little cost."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bots.test_manifest import BOMBS, write_manifest
from tests.ladder import factories
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

SENT = ("nine levels of aliases", "merge keys", "many arguments", "an octal number")
MEMORY = 256 << 10
"""KiB of a command's largest process."""
MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""
"""Runs a command and writes down the peak of its memory; started by us, it would begin at ours."""


COMMANDS = (["play", "sticheln", "random", "random"], ["check"], ["submit"])


@pytest.mark.parametrize(
    ("bomb", "words"),
    [  # in `make test` each of them once, for one command after the other
        (bomb, words) if number % len(COMMANDS) == place else soak_only((bomb, words))
        for number, bomb in enumerate(SENT)
        for place, words in enumerate(COMMANDS)
    ],
)
def test_a_sentence(tmp_path: Path, bomb: str, words: list[str]) -> None:
    text, said = BOMBS[bomb]
    bot = tmp_path / "bot"
    bot.mkdir()
    write_manifest(bot, text)
    more = (
        ["--to", str(factories.create_ladder(tmp_path / "ladder").folder)]
        if words == ["submit"]
        else []
    )
    argv = [sys.executable, "-m", "arena", *words, str(bot), *more]
    peak = tmp_path / "peak"
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(peak), *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if words == ["submit"] else 2)
    assert said in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout
    assert int(peak.read_text()) < MEMORY
