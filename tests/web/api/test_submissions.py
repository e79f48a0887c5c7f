"""Submissions over HTTP: who may send what, how it is taken, told of, and never lost."""

import json
import random
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

import pytest

from arena.ladder.folder import UPLOADS_FOLDER
from arena.ladder.registry import Registry
from arena.web.submission_queue import MAX_TRIES
from tests.bots.leftover_processes import check_no_leftovers
from tests.tournaments.small_runs import wait_for
from tests.web.ladders import (
    BROKEN_BOT,
    FIRST_OPTION_BOT,
    LADDER_YAML,
    add_submission,
    create_ladder,
    create_token,
    make_escaping_tar,
    make_zip,
    post_bot,
    read_events,
    serve_ladder,
    wait_for_result,
)
from tests.web.server_process import TIMEOUT, Response, ServerProcess

pytestmark = pytest.mark.slow

NEVER = """
import asyncio, arena.web.submission_queue
async def never(self): await asyncio.sleep(1e6)
arena.web.submission_queue.SubmissionQueue.run_workers = never
"""
"""Whoever serves like this takes submissions, but works on none."""
SLEEPY = "import time\ntime.sleep(1000)\n"


class Door:
    """A ladder that is served, and the token of somebody."""

    def __init__(self, folder: Path, there: ServerProcess) -> None:
        self.folder = folder
        self.there = there
        self.token = create_token(folder)
        self.owners = 0

    def send(
        self, query: str = "file=my.py", body: bytes | None = b"x", **headers: str
    ) -> Response:
        """Send something, as somebody who has not sent anything before."""
        self.owners += 1
        shown = create_token(self.folder, f"owner{self.owners}")
        headers = {"Authorization": f"Bearer {shown}", **headers}
        return self.there.request(f"/api/bots?{query}", "POST", body, **headers)

    def raw(self, *pieces: bytes, rest: float = 0.0) -> Response:
        """Send bytes as they are, piece by piece."""
        with closing(self.there.connect()) as connection:
            for piece in pieces:
                connection.sendall(piece.replace(b"TOKEN", self.token.encode()))
                time.sleep(rest)
            return answered(connection)

    def left(self) -> list[str]:
        """What is left of everything that was sent."""
        return [place.name for place in (self.folder / UPLOADS_FOLDER).iterdir()]


def answered(connection: socket.socket) -> Response:
    """What comes back until the connection ends."""
    content = b""
    while chunk := connection.recv(65536):
        content += chunk
    head, _, body = content.partition(b"\r\n\r\n")
    line, _, headers = head.partition(b"\r\n")
    return Response(int(line.split()[1]), BytesHeaderParser().parsebytes(headers), body)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = create_ladder(
        tmp_path_factory.mktemp("ladders") / "ladder",
        LADDER_YAML.replace("waiting: 6", "waiting: 1000"),
    )
    with serve_ladder(
        folder, before=f"{NEVER}import arena.web.uploads as r; r.LINGER_SECONDS = 0.5\n"
    ) as there:
        yield Door(folder, there)


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Door]:
    """One that does not wait for long."""
    folder = create_ladder(tmp_path / "ladder")
    quick = (
        "from arena.web import uploads\n"
        "uploads.PART_TIMEOUT, uploads.UPLOAD_TIMEOUT, uploads.LINGER_SECONDS = 0.5, 1.5, 0.5\n"
    )
    with serve_ladder(folder, before=NEVER + quick) as there:
        yield Door(folder, there)


HEAD = b"POST /api/bots?file=my.py HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\n"


def check_refused(answer: Response, status: int, *said: str) -> None:
    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"error"}
    for part in said:
        assert part in answer.json["error"]


def test_an_upload_is_accepted(door: Door) -> None:
    answer = door.send("file=my.py&name=mine&message=%C3%A4+%3Cb%3E", b"print(1)")
    assert answer.status == 202
    found = answer.json
    assert answer.headers["location"] == found["url"] == f"/api/submissions/{found['id']}"
    assert found["events"] == f"{found['url']}/events"
    assert (door.folder / UPLOADS_FOLDER / found["id"] / "upload").read_bytes() == b"print(1)"
    shown = door.there.request(found["url"]).json
    assert (shown["state"], shown["name"], shown["message"]) == ("waiting", "mine", "ä <b>")
    assert (shown["size"], shown["said"], shown["page"]) == (8, [], None)


@pytest.mark.parametrize(
    ("shown", "said"),
    [("", "missing"), ("Basic eDp5", "missing"), ("Bearer stich_nobody", "not known")],
)
def test_without_a_token(door: Door, shown: str, said: str) -> None:
    before = door.left()
    answer = door.send(Authorization=shown, X_Forwarded_For="192.0.2.77")
    check_refused(answer, 401, said)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert door.left() == before


def test_a_token_that_was_revoked_or_replaced(door: Door) -> None:
    old = create_token(door.folder, "carol")
    new = create_token(door.folder, "carol")
    for shown, status in ((old, 401), (new, 202)):
        answer = door.send(Authorization=f"Bearer {shown}", X_Forwarded_For="192.0.2.78")
        assert answer.status == status


def test_guessing_tokens_is_throttled(door: Door) -> None:
    """After five within a minute the next wrong one has to wait; the right one never has."""
    guesses = [
        door.send(Authorization="Bearer wrong", X_Forwarded_For="192.0.2.79") for _ in range(6)
    ]
    assert [answer.status for answer in guesses] == [401] * 5 + [429]
    check_refused(guesses[-1], 429, "too many wrong tokens")
    assert 0 < int(guesses[-1].headers["retry-after"]) <= 60
    assert door.send(X_Forwarded_For="192.0.2.79").status == 202
    assert door.there.request("/api/bots", X_Forwarded_For="192.0.2.79").status == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "file"),
        ("file=", "file"),
        ("file=..%2f..%2fx.py", "file"),
        ("file=a%0d%0aX-Forged:+1", "file"),
        ("file=%1b[31m.py", "file"),
        ("file=" + "x" * 101, "file"),
        ("file=my.py&name=<b>", "name"),
        ("file=my.py&name=-x", "name"),
        ("file=my.py&name=" + "x" * 33, "name"),
        ("file=my.py&name=a%0d%0ab", "name"),
        ("file=my.py&message=a%0d%0aX-Forged:+1", "message"),
        ("file=my.py&message=%1b[31mred", "message"),
        ("file=my.py&message=" + "x" * 501, "message"),
        ("file=my.py&message=%e2%80%ae", "message"),
        ("file=my.py&owner=root", "owner"),
        ("file=my.py&file=my.py", "file"),
    ],
)
def test_invalid_names(door: Door, query: str, said: str) -> None:
    before = door.left()
    answer = door.send(query)
    check_refused(answer, 422, said)
    assert "X-Forged" not in answer.headers
    assert door.left() == before


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="my bot.py"', "my bot.py"),
        ("attachment; filename*=UTF-8''m%C3%A4x.py", "mäx.py"),
        ("form-data; name=x; filename=a.zip", "a.zip"),
    ],
)
def test_a_name_by_a_header(door: Door, header: str, name: str) -> None:
    found = door.send("", Content_Disposition=header).json
    assert door.there.request(found["url"]).json["file"] == name


@pytest.mark.parametrize(
    "header", ["attachment", "attachment; filename=../x", 'attachment; filename="\x1b.py"', "\xff"]
)
def test_no_name_by_a_header(door: Door, header: str) -> None:
    check_refused(door.send("", Content_Disposition=header), 422, "file")


def test_an_empty_file(door: Door) -> None:
    before = door.left()
    check_refused(door.send(body=b""), 422, "empty")
    assert door.left() == before


def test_no_length(door: Door) -> None:
    check_refused(door.raw(HEAD + b"Connection: close\r\n\r\n"), 411, "Content-Length")


def test_too_large(door: Door) -> None:
    """By what it says of itself before it came, and by what came."""
    before = door.left()
    check_refused(door.send(body=b"x" * ((1 << 20) + 1)), 413, "1 MiB")
    check_refused(door.raw(HEAD + b"Content-Length: 999999999999\r\n\r\n"), 413, "1 MiB")
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    check_refused(door.raw(chunked, *[chunk] * 17), 413, "1 MiB")
    assert door.left() == before
    whole = door.raw(
        chunked.replace(b"Host", b"Connection: close\r\nHost"), *[chunk] * 16, b"0\r\n\r\n"
    )
    assert whole.status == 202


def test_expect_100_continue_is_refused_early(door: Door) -> None:
    head = HEAD.replace(b"TOKEN", b"wrong") + b"X-Forwarded-For: 192.0.2.81\r\n"
    answer = door.raw(head + b"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
    check_refused(answer, 401)
    answer = door.raw(
        HEAD + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\n", b"abcd", rest=0.2
    )
    assert answer.status == 100


def test_slow_uploads_time_out(hasty: Door) -> None:
    """Silence ends it, and so does a byte now and then."""
    for pieces, rest in (([b"abc"], 1.0), ([b"x"] * 10, 0.3)):
        try:
            answer = hasty.raw(HEAD + b"Content-Length: 500\r\n\r\n", *pieces, rest=rest)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever goes on to send may find the connection closed
        else:
            check_refused(answer, 408, "too slow")
        wait_for(lambda: not hasty.left())


def test_aborted_uploads_leave_nothing(door: Door) -> None:
    before = door.left()
    with closing(door.there.connect()) as connection:
        head = HEAD.replace(b"TOKEN", door.token.encode())
        connection.sendall(head + b"Content-Length: 500\r\n\r\nabc")
        limit = time.monotonic() + TIMEOUT
        while len(door.left()) == len(before) and time.monotonic() < limit:
            time.sleep(0.01)
    while len(door.left()) > len(before) and time.monotonic() < limit:
        time.sleep(0.01)
    assert door.left() == before


def test_one_upload_at_a_time_for_each_owner(door: Door) -> None:
    with closing(door.there.connect()) as connection:
        head = HEAD.replace(b"TOKEN", door.token.encode())
        before = len(door.left())
        connection.sendall(head + b"Connection: close\r\nContent-Length: 4\r\n\r\nab")
        limit = time.monotonic() + TIMEOUT
        while len(door.left()) == before and time.monotonic() < limit:
            time.sleep(0.01)
        answer = door.there.request(
            "/api/bots?file=my.py", "POST", b"x", Authorization=f"Bearer {door.token}"
        )
        check_refused(answer, 429, "another upload of")
        connection.sendall(b"cd")
        assert answered(connection).status == 202


def test_many_at_once(door: Door) -> None:
    """Everybody is taken, or told to come again; nobody's bytes are mixed up."""
    bodies = [bytes([65 + number]) * 200_000 for number in range(12)]
    with ThreadPoolExecutor(12) as crowd:
        answers = list(crowd.map(lambda body: door.send(body=body), bodies))
    assert {answer.status for answer in answers} <= {202, 503}
    for answer, body in zip(answers, bodies, strict=True):
        if answer.status == 202:
            assert (
                door.folder / UPLOADS_FOLDER / answer.json["id"] / "upload"
            ).read_bytes() == body
        else:
            assert answer.headers["retry-after"]


def test_submissions_are_not_found_by_guessing(door: Door) -> None:
    number = door.send().json["id"]
    assert len(number) == 22
    for other in (number.swapcase(), "x" * 22):
        for path in (f"/api/submissions/{other}", f"/api/submissions/{other}/events"):
            check_refused(door.there.request(path), 404)
    for other in (number[:-1], f"{number}x", "%00" * 22, "..%2f" * 5):
        assert door.there.request(f"/api/submissions/{other}").status in {404, 422}


def test_daily_and_total_limits(tmp_path: Path) -> None:
    folder = create_ladder(tmp_path / "ladder")
    with serve_ladder(folder, before=NEVER) as there:
        ann, bob = create_token(folder, "ann"), create_token(folder, "bob")

        def send(shown: str) -> Response:
            return there.request(
                "/api/bots?file=my.py", "POST", b"x", Authorization=f"Bearer {shown}"
            )

        for number in range(7):
            with Registry.open(folder) as registry:
                moment = registry.rows("SELECT strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')")[0][0]
            add_submission(folder, f"n{number}", "ann", "refused", sent=moment)
        assert send(ann).status == 202
        answer = send(ann)
        check_refused(answer, 429, "within a day")
        assert int(answer.headers["retry-after"]) > 0
        assert send(bob).status == 202
        for number in range(4):
            add_submission(folder, f"w{number}", "carol")
        answer = send(bob)
        check_refused(answer, 503, "6 submissions wait")
        assert int(answer.headers["retry-after"]) > 0
        assert there.request("/healthz").json["waiting"] == 6


FULL = """
import errno, arena.ladder.submissions.intake
def full(self, chunk): raise OSError(errno.ENOSPC, "No space left on device")
arena.ladder.submissions.intake.IncomingSubmission.write = full
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """It is said, and nothing stays."""
    folder = create_ladder(tmp_path / "ladder")
    shown = f"Bearer {create_token(folder)}"
    with serve_ladder(folder, before=FULL) as there:
        answer = there.request("/api/bots?file=a.py", "POST", b"x", Authorization=shown)
        check_refused(answer, 507, "the disk of the ladder is full; send it later")
    assert list((folder / UPLOADS_FOLDER).iterdir()) == []


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A ladder that is served and works on what is sent."""
    folder = create_ladder(
        tmp_path_factory.mktemp("ladders") / "ladder",
        LADDER_YAML.replace("unpacked: 4", "unpacked: 16"),
    )
    with serve_ladder(folder) as there:
        yield Door(folder, there)


def test_a_bot_that_is_accepted(working: Door) -> None:
    """What is heard as it comes is what is read at the end, and it leads to a page."""
    there, shown = working.there, working.token
    message = "<script>document.title='hacked'</script>"
    query = f"file=my.py&name=mine&message={message}"
    taken = post_bot(there, shown, FIRST_OPTION_BOT.encode(), query)
    with there.events(taken["events"]) as lines:
        events = list(read_events(lines))
    kinds = [kind for kind, _, _ in events]
    assert kinds == ["said"] * (len(events) - 1) + ["end"]
    end = events[-1][2]
    assert (end["state"], end["bot"]) == ("accepted", "mine v1")
    assert [said for _, _, said in events[:-1]] == end["said"]
    assert end["said"][-1]["step"] == "accept"
    assert any(said.get("table") for said in end["said"])
    last = events[3][1]
    with there.events(taken["events"], f"Last-Event-ID: {last}\r\n") as lines:
        assert list(read_events(lines)) == events[4:]
    found = wait_for_result(there, taken["id"])
    limit = time.monotonic() + TIMEOUT
    while found["page"] is None and time.monotonic() < limit:
        time.sleep(0.2)
        found = there.request(taken["url"]).json
    assert found["said"] == end["said"]
    page = there.request(f"/{found['page']}").text
    assert "mine v1" in page
    assert message not in page
    assert there.request("/api/bots/mine").json["versions"][0]["message"] == message


def test_a_bot_that_is_refused(working: Door) -> None:
    """With what it wrote to stderr, which nobody else learns."""
    there, shown = working.there, working.token
    taken = post_bot(there, shown, BROKEN_BOT.encode(), "file=broken.py")
    found = wait_for_result(there, taken["id"])
    assert found["state"] == "refused"
    assert not found["said"][-1]["passed"]
    evidence: dict[str, Any] = found["said"][-2]["evidence"]
    assert "<b>I am broken</b>\x1b[31m" in evidence["stderr"]
    raw = there.request(taken["url"])
    assert b"\x1b" not in raw.content
    assert raw.headers["content-type"] == "application/json"
    assert there.request("/api/bots/broken").status == 404


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("evil.tar.gz", make_escaping_tar()),
        ("no.zip", make_zip(readme__txt="no bot")),
        ("bomb.zip", make_zip(bot__yaml="name: x\nrun: [x]\n", x="\0" * (17 << 20))),
        ("nothing.zip", b"PK\x03\x04 this is no archive"),
        ("nothing.exe", b"\x7fELF\0\0\0\0"),
    ],
)
def test_invalid_archives(working: Door, name: str, body: bytes) -> None:
    shown = create_token(working.folder, name.replace(".", "-"))
    found = wait_for_result(
        working.there, post_bot(working.there, shown, body, f"file={name}")["id"]
    )
    assert found["state"] == "refused", found
    assert found["said"][-1]["passed"] is False
    assert str(working.folder.parent) not in json.dumps(found)
    wait_for(lambda: working.left() == [])
    assert not Path("/tmp/stichkampf-escaped").exists()  # noqa: S108 (that is where it wants to go)


def test_a_server_that_was_killed_before_its_turn(tmp_path: Path) -> None:
    folder = create_ladder(tmp_path / "ladder")
    with serve_ladder(folder, before=NEVER) as there:
        number = post_bot(there, create_token(folder), BROKEN_BOT.encode())["id"]
        there.process.kill()
    with serve_ladder(folder) as there:
        assert wait_for_result(there, number)["state"] == "refused"


def test_a_server_that_is_killed_in_its_midst(tmp_path: Path) -> None:
    """Nothing of it runs on; the next one begins again, and whoever listens hears all of it."""
    folder = create_ladder(tmp_path / "ladder")
    with check_no_leftovers(TIMEOUT), serve_ladder(folder) as there:
        number = post_bot(there, create_token(folder), SLEEPY.encode())["id"]
        limit = time.monotonic() + TIMEOUT
        while time.monotonic() < limit:
            if len(there.request(f"/api/submissions/{number}").json["said"]) >= 3:
                break
            time.sleep(0.05)
        with there.events(f"/api/submissions/{number}/events") as lines:
            heard = []
            for event in read_events(lines):
                heard.append(event)
                if len(heard) == 3:
                    break
        there.process.kill()
        there.process.wait()
    with Registry.open(folder) as registry:
        assert [(one.id, one.tries) for one in registry.submissions("running")] == [(number, 1)]
    time.sleep(1)  # so that it is begun at another second
    (folder / UPLOADS_FOLDER / number / "upload").write_text(BROKEN_BOT)
    with serve_ladder(folder) as there:
        more = f"Last-Event-ID: {heard[-1][1]}\r\n"
        with there.events(f"/api/submissions/{number}/events", more) as lines:
            events = list(read_events(lines))
    assert events[-1][2]["state"] == "refused"
    assert [said for _, _, said in events[:-1]] == events[-1][2]["said"]


@pytest.mark.parametrize("before", [MAX_TRIES - 1, pytest.param(0, marks=pytest.mark.soak)])
def test_servers_that_are_killed_again_and_again(tmp_path: Path, before: int) -> None:
    """A submission with which they die, some of them before, is not begun for ever."""
    folder = create_ladder(tmp_path / "ladder")
    number = ""
    if before:
        number = add_submission(folder, "dying", state="running", tries=before).id
        (folder / UPLOADS_FOLDER / number / "upload").write_text(SLEEPY)
    for count in range(before + 1, MAX_TRIES + 1):
        with check_no_leftovers(TIMEOUT), serve_ladder(folder) as there:
            number = number or post_bot(there, create_token(folder), SLEEPY.encode())["id"]
            limit = time.monotonic() + TIMEOUT
            while time.monotonic() < limit:
                if there.request(f"/api/submissions/{number}").json["tries"] == count:
                    break
                time.sleep(0.05)
            there.process.kill()
            there.process.wait()
    with serve_ladder(folder) as there:
        found = wait_for_result(there, number)
        wait_for(lambda: list((folder / UPLOADS_FOLDER).iterdir()) == [])
    assert (found["state"], found["said"][-1]["step"]) == ("broken", "broken")
    assert "ended 3 times without a result" in found["said"][-1]["text"]


@pytest.mark.soak
def test_texts_of_any_length_are_cut(working: Door) -> None:
    """A key of 5 MB gives a small row, and a small answer."""
    key = random.Random(1).randbytes(10_000).hex() * 250
    manifest = f"name: x\nrun: [x]\n? {key}\n: 1\n"
    body = make_zip(bot__yaml=manifest, x="#!/bin/sh\n")
    there, shown = working.there, create_token(working.folder, "texts")
    number = post_bot(there, shown, body, "file=x.zip")["id"]
    found = wait_for_result(there, number)
    assert (found["state"], found["said"][-1]["step"]) == ("refused", "manifest")
    assert len(there.request(f"/api/submissions/{number}").content) < 5000
    with there.events(f"/api/submissions/{number}/events") as lines:
        assert sum(map(len, lines)) < 10_000
    with Registry.open(working.folder) as registry:
        query = "SELECT max(length(said)) FROM step WHERE submission = ?"
        ((longest,),) = registry.rows(query, number)
    assert int(str(longest)) < 2000


def test_no_room(tmp_path: Path) -> None:
    """Whoever asks before sending is refused before sending, if the disk or the quota is full."""
    folder = create_ladder(
        tmp_path / "ladder", LADDER_YAML.replace("a_day: 8", "a_day: 8, quota: 1")
    )
    head = HEAD + b"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
    with serve_ladder(folder, before=NEVER) as there:
        door = Door(folder, there)
        large = add_submission(folder, "large")
        (folder / UPLOADS_FOLDER / large.id / "upload").write_bytes(b"x" * (1 << 20) + b"x")
        check_refused(door.raw(head), 507, "the bots of ann take up 2 MiB", "1 MiB are allowed")
        assert door.send(body=b"x").status == 202, "others have a quota of their own"
    full = "import arena.ladder.cleanup as cleanup; cleanup.MIN_FREE_BYTES = 1 << 60\n"
    with serve_ladder(folder, before=NEVER + full) as there:
        door = Door(folder, there)
        before = door.left()
        check_refused(door.raw(head), 507, "nearly full")
        check_refused(door.send(), 507, "nearly full")
        assert door.left() == before


def test_a_worker_ends_with_its_server(tmp_path: Path) -> None:
    folder = create_ladder(tmp_path / "ladder")
    with check_no_leftovers(TIMEOUT), serve_ladder(folder) as there:
        number = post_bot(there, create_token(folder), SLEEPY.encode())["id"]
        limit = time.monotonic() + TIMEOUT
        while time.monotonic() < limit:
            if there.request(f"/api/submissions/{number}").json["state"] == "running":
                break
            time.sleep(0.05)
        with there.events(f"/api/submissions/{number}/events") as lines:
            assert next(lines)  # a server that has not read the question would reset it
            assert there.end()[0] == 130
            assert "event: end" not in list(lines)
    with Registry.open(folder) as registry:
        assert [(one.id, one.tries) for one in registry.submissions("running")] == [(number, 0)]
