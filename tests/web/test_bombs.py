"""Manifests that are made to keep a server busy are refused with a sentence, and cost little."""

import os
import signal
from pathlib import Path

import pytest

from tests.bots.test_manifest import BOMBS
from tests.web.laddering import SETTINGS, empty, ended, serving, submitted, token, zipped

pytestmark = pytest.mark.slow

SENT = (
    "nine levels of aliases",
    "aliases in a name",
    "merge keys",
    "seven megabytes of comments",
    "a list of 256 KiB",
    "many arguments",
    "an octal number",
)
MEMORY = 256 << 10
"""KiB of the largest process; a server and what it starts take about half of it for any bot."""


def test_manifests_sent_to_a_server(tmp_path: Path) -> None:
    """The peak is that of the server and of all processes that it has started and waited for."""
    folder = empty(
        tmp_path / "ladder", SETTINGS.replace("size: 1, unpacked: 4", "size: 4, unpacked: 16")
    )
    shown = token(folder)
    with serving(folder) as there:
        for bomb in SENT:
            text, said = BOMBS[bomb]
            body = zipped(bot__yaml=text, bot__py="")
            number = submitted(there, shown, body, "file=my.zip")["id"]
            found = ended(there, number)
            assert found["state"] == "refused", bomb
            last = found["said"][-1]
            assert last["step"] == "manifest", bomb
            assert said in last["text"]
        os.kill(there.process.pid, signal.SIGINT)
        _, _, used = os.wait4(there.process.pid, 0)
    assert used.ru_maxrss < MEMORY
