"""A worker process handles a submission, and ends with its server in whatever way that ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.ladder.registry import Registry
from arena.ladder.submissions.intake import Intake
from arena.web.submission_process import SubmissionProcess
from tests.bots.leftover_processes import check_no_leftovers
from tests.web.ladders import BROKEN_BOT, add_submission, create_ladder
from tests.web.server_process import TIMEOUT

pytestmark = pytest.mark.slow

SLEEPY = "import time; time.sleep(1000)"
SERVER = """
import asyncio, sys
from pathlib import Path
from arena.web.submission_process import SubmissionProcess

async def serve():
    worker = await SubmissionProcess.start(Path(sys.argv[1]), sys.argv[2])
    print(worker.process.pid, flush=True)
    await worker.process.wait()

asyncio.run(serve())
"""


def upload_script(folder: Path, text: str) -> str:
    with Registry.open(folder) as registry:
        incoming = Intake(folder).begin_upload(registry, "ann", "my.py")
        incoming.write(text.encode())
        return incoming.finish(registry).id


def state(folder: Path, number: str) -> str:
    with Registry.open(folder) as registry:
        found = registry.submission(number)
        assert found
        return found.state


def test_a_submission_is_processed(tmp_path: Path) -> None:
    folder = create_ladder(tmp_path / "ladder")
    number = upload_script(folder, BROKEN_BOT)

    async def work() -> bool:
        return await (await SubmissionProcess.start(folder, number)).wait_or_kill(TIMEOUT)

    assert asyncio.run(work())
    assert state(folder, number) == "refused"


def test_a_process_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    """It is killed, with the bot that kept it; what it worked on can be begun again."""
    folder = create_ladder(tmp_path / "ladder")
    number = upload_script(folder, SLEEPY)

    async def work() -> bool:
        worker = await SubmissionProcess.start(folder, number)
        while state(folder, number) == "waiting":
            await asyncio.sleep(0.05)
        return await worker.wait_or_kill(0.5)

    with check_no_leftovers(TIMEOUT):
        assert not asyncio.run(work())
    assert state(folder, number) == "running"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    folder = create_ladder(tmp_path / "ladder")
    number = upload_script(folder, SLEEPY)
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen(
            [sys.executable, "-c", SERVER, str(folder), number], stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        assert server.stdout
        worker = int(server.stdout.readline())
        limit = time.monotonic() + TIMEOUT
        while state(folder, number) == "waiting" and time.monotonic() < limit:
            time.sleep(0.05)
        os.kill(worker, 0)
        server.send_signal(how)
    assert state(folder, number) == "running"


def test_a_server_that_was_gone_before(tmp_path: Path) -> None:
    """A worker whose parent is another process does nothing."""
    folder = create_ladder(tmp_path / "ladder")
    number = add_submission(folder, "one").id
    words = [sys.executable, "-m", "arena.web.submission_process", "1", str(folder), number]
    assert subprocess.run(words, check=False).returncode == 127
    assert state(folder, number) == "waiting"
