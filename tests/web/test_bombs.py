"""Manifests that are made to keep a server busy are refused with a sentence, and cost little."""

from pathlib import Path

import pytest

from tests.bots.test_manifest import BOMBS
from tests.web.ladders import (
    LADDER_YAML,
    create_ladder,
    create_token,
    make_zip,
    post_bot,
    serve_ladder,
    wait_for_result,
)

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
MEASURED = """
import atexit, re, resource
def measure():
    own = int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with open({file!r}, "w") as file:
        file.write(str(max(own, others)))
atexit.register(measure)
"""
"""Writes down the peak of a server's memory, and of all processes that it has waited for."""


@pytest.mark.parametrize("sent", [SENT[:3], pytest.param(SENT, marks=pytest.mark.soak)])
def test_manifests_sent_to_a_server(tmp_path: Path, sent: tuple[str, ...]) -> None:
    folder = create_ladder(
        tmp_path / "ladder", LADDER_YAML.replace("size: 1, unpacked: 4", "size: 4, unpacked: 16")
    )
    shown = create_token(folder)
    peak = tmp_path / "peak"
    with serve_ladder(folder, before=MEASURED.format(file=str(peak))) as there:
        for bomb in sent:
            text, said = BOMBS[bomb]
            body = make_zip(bot__yaml=text, bot__py="")
            number = post_bot(there, shown, body, "file=my.zip")["id"]
            found = wait_for_result(there, number)
            assert found["state"] == "refused", bomb
            last = found["said"][-1]
            assert last["step"] == "manifest", bomb
            assert said in last["text"]
        there.end()
    assert int(peak.read_text()) < MEMORY
