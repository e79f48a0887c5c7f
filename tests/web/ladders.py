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
from tests.web.server_process import LONG, Served, served

SETTINGS = """
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

BOT = '''
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

BROKEN = """
import sys
print("<b>I am broken</b>\\x1b[31m", file=sys.stderr)
sys.exit(3)
"""

PATIENT = (
    "import arena.web.submission_queue as queue; queue.RETRY_SECONDS = queue.POLL_SECONDS = 0.2\n"
)
"""What a server does before it begins that is not to wait for long."""


def empty(folder: Path, text: str = SETTINGS) -> Path:
    """A ladder without any bot."""
    create_ladder_folder(folder, text)
    return folder


def token(folder: Path, owner: str = "ann") -> str:
    """A token for an owner."""
    with Registry.open(folder) as registry:
        return issue_token(registry, owner)


def enter(
    folder: Path, number: str, owner: str = "ann", state: SubmissionState = "waiting", **more: Any
) -> Submission:
    """A submission that somebody sent, at a moment in the order of these calls."""
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


def say(folder: Path, number: str, *texts: str) -> None:
    """Somebody tells a submission something."""
    with Registry.open(folder) as registry:
        for text in texts:
            registry.add_message(number, SubmissionMessage(step="test", passed=True, text=text))


@contextmanager
def serving(
    folder: Path, *words: str, before: str = "", log: Path | None = None
) -> Iterator[Served]:
    """A ladder that is served."""
    place = log or folder / "logs" / "serve.txt"
    with served(folder, *words, before=before, name="serve", log=place) as found:
        yield found


def submitted(there: Served, shown: str, body: bytes, query: str = "file=my.py") -> Any:
    """What the server answers to a bot that is sent."""
    return there.ask(f"/api/bots?{query}", "POST", body, Authorization=f"Bearer {shown}").json


def ended(there: Served, number: str) -> Any:
    """A submission when nothing more happens to it."""
    limit = time.monotonic() + LONG
    while time.monotonic() < limit:
        found = there.ask(f"/api/submissions/{number}").json
        if found["state"] not in {"waiting", "running"}:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{number} does not end: {found}")


def told(lines: Iterator[str]) -> Iterator[tuple[str, str, Any]]:
    """The events of a stream: the kind, the id and what is said of each, until its end."""
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


def zipped(**files: str) -> bytes:
    """An archive of a bot's folder; `__` stands for a dot."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return stream.getvalue()


def escaping() -> bytes:
    """An archive that would write beside the folder that it is unpacked into."""
    stream = io.BytesIO()
    with tarfile.open(mode="w:gz", fileobj=stream) as archive:
        for name in ("bot.yaml", "../../../../../../../../tmp/stichkampf-escaped"):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"evil"))
    return stream.getvalue()


def copied(ladder: Path, folder: Path) -> Path:
    """The same ladder once more, for somebody who changes it."""
    shutil.copytree(ladder, folder)
    return folder
