"""Ladders for the tests of their server: small ones, with real bots where they have to play."""

import io
import json
import shutil
import tarfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.ladder.folder import UPLOADS_FOLDER, create_ladder_folder
from arena.ladder.models import Submission, SubmissionMessage, SubmissionState
from arena.ladder.registry import Registry
from arena.ladder.tokens import issue_token
from tests.web.server_process import TIMEOUT, ServerProcess, start_server

LADDER_YAML = """
name: Nachbarn
variants: [sticheln]
seats: 3
deals: 1
sandbox: none
workers: 1
placement: {games: 6, share: 0.1}
submissions: {size: 1, unpacked: 4, a_day: 8, waiting: 6}
"""
"""Of a ladder that is small, for quick bots that everybody trusts."""

FIRST_OPTION_BOT = '''
"""Takes the first option, whatever it is."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "games": 64}), flush=True)
    elif message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        print(json.dumps(answer), flush=True)
'''

BROKEN_BOT = """
import sys
print("<b>I am broken</b>\\x1b[31m", file=sys.stderr)
sys.exit(3)
"""

SHORT_RETRIES = (
    "import arena.web.submission_queue as queue; queue.RETRY_SECONDS = queue.POLL_SECONDS = 0.2\n"
)
"""What a server does before it begins that is not to wait for long."""


def create_ladder(folder: Path, text: str = LADDER_YAML) -> Path:
    """Create a ladder without bots."""
    create_ladder_folder(folder, text)
    return folder


def create_token(folder: Path, owner: str = "ann") -> str:
    """Issue a token for an owner."""
    with Registry.open(folder) as registry:
        return issue_token(registry, owner)


def add_submission(
    folder: Path, number: str, owner: str = "ann", state: SubmissionState = "waiting", **more: Any
) -> Submission:
    """Add a submission; the times of sending follow the order of calls."""
    with Registry.open(folder) as registry:
        count = len(registry.submissions())
        told = Submission(
            **{
                "id": number.ljust(22, "x"),
                "owner": owner,
                "file": "my.py",
                "name": "",
                "message": "",
                "size": 1,
                "state": state,
                "sent": f"2030-01-01T00:{count // 60:02}:{count % 60:02}+00:00",
                **more,
            }
        )
        registry.add_submission(told)
    (folder / UPLOADS_FOLDER / told.id).mkdir()
    return told


def add_messages(folder: Path, number: str, *texts: str) -> None:
    """Add messages to a submission."""
    with Registry.open(folder) as registry:
        for text in texts:
            registry.add_message(number, SubmissionMessage(step="test", passed=True, text=text))


@contextmanager
def serve_ladder(
    folder: Path, *words: str, before: str = "", log: Path | None = None
) -> Iterator[ServerProcess]:
    """Serve a ladder by `arena serve` in a subprocess."""
    place = log or folder / "logs" / "serve.txt"
    with start_server(folder, *words, before=before, name="serve", log=place) as found:
        yield found


def post_bot(there: ServerProcess, shown: str, body: bytes, query: str = "file=my.py") -> Any:
    """Send a bot to the server and return its answer."""
    return there.request(f"/api/bots?{query}", "POST", body, Authorization=f"Bearer {shown}").json


def wait_for_result(there: ServerProcess, number: str) -> Any:
    """Wait until a submission is finished and return it."""
    limit = time.monotonic() + TIMEOUT
    while time.monotonic() < limit:
        found = there.request(f"/api/submissions/{number}").json
        if found["state"] not in {"waiting", "running"}:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{number} does not end: {found}")


def read_events(lines: Iterator[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield the kind, id and data of each event of a stream, until its end."""
    kind = number = ""
    for line in lines:
        name, _, text = line.partition(": ")
        if name == "id":
            number = text
        elif name == "event":
            kind = text
        elif name == "data":
            yield kind, number, json.loads(text)
            if kind == "end":
                return
            kind = number = ""


def make_zip(**files: str) -> bytes:
    """Return a zip archive of files; `__` in a name stands for a dot."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return stream.getvalue()


def make_escaping_tar() -> bytes:
    """Return an archive with an entry outside the folder that it is unpacked into."""
    stream = io.BytesIO()
    with tarfile.open(mode="w:gz", fileobj=stream) as archive:
        for name in ("bot.yaml", "../../../../../../../../tmp/stichkampf-escaped"):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"evil"))
    return stream.getvalue()


def copy_ladder(ladder: Path, folder: Path) -> Path:
    """Copy a ladder for a test that changes it."""
    shutil.copytree(ladder, folder)
    return folder
