"""Every listener gets each message of a submission once, in order, until the end."""

import asyncio
import json
from pathlib import Path

import pytest

from arena.ladder.models import SubmissionMessage
from arena.ladder.registry import Registry
from arena.sanitize import to_json
from arena.web import streams, submission_events
from arena.web.limits import ConcurrencyLimit
from arena.web.submission_events import SubmissionFeed
from arena.web.submission_queue import SubmissionQueue
from tests.web.ladders import add_messages, add_submission, create_ladder
from tests.web.server_process import next_event


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(submission_events, "RUNNING_INTERVAL", 0.01)
    monkeypatch.setattr(submission_events, "WAITING_INTERVAL", 0.02)
    return create_ladder(tmp_path / "ladder")


def talk(folder: Path) -> SubmissionFeed:
    return SubmissionFeed(
        folder,
        SubmissionQueue(folder),
        {"ann v1": "bots/1-ann-v1.html"}.get,
        ConcurrencyLimit(4, 64),
    )


async def read_events(
    kept: SubmissionFeed, number: str, last: str = ""
) -> list[tuple[str, str, str]]:
    """All events until the end: kind, id, and what is said."""
    first = await kept.history(number)
    assert first
    found = []
    async for event in kept.events(first, last):
        if event.startswith(":"):
            continue
        fields = dict(line.split(": ", 1) for line in event.strip().split("\n"))
        data = json.loads(fields.get("data", "{}"))
        said = data.get("text") or data.get("state") or ""
        found.append((fields["event"], fields.get("id", ""), said))
    return found


def test_all_events_of_a_submission(ladder: Path) -> None:
    number = add_submission(ladder, "one", "ann", "refused", begun="2030-01-02T03:04:05+00:00").id
    add_messages(ladder, number, "a", "b\n\ndata: forged")
    events = asyncio.run(read_events(talk(ladder), number))
    assert events == [
        ("said", "20300102030405-0", "a"),
        ("said", "20300102030405-1", "b\n\ndata: forged"),
        ("end", "", "refused"),
    ]


def test_texts_of_earlier_releases_may_be_long(ladder: Path) -> None:
    number = add_submission(ladder, "one", "ann", "refused").id
    long = "x" * 1_000_000
    with Registry.open(ladder) as registry:
        registry.add_message(
            number, SubmissionMessage(step="a", text=long, evidence={"b": long}, table=[[long]])
        )
    found = asyncio.run(talk(ladder).history(number))
    assert found
    assert len(to_json(found)) < 20_000


def test_a_listener_outlasts_a_crowd(ladder: Path) -> None:
    """Nothing is told while too many ask, and all of it afterwards."""
    number = add_submission(ladder, "one").id

    async def listen() -> None:
        kept = talk(ladder)
        first = await kept.history(number)
        assert first
        events = kept.events(first, "")
        waiting = asyncio.create_task(next_event(events))
        kept.read_limit = ConcurrencyLimit(0, 0)
        await asyncio.sleep(0.1)
        add_messages(ladder, number, "a")
        await asyncio.sleep(0.1)
        assert not waiting.done()
        kept.read_limit = ConcurrencyLimit(4, 64)
        assert '"a"' in await waiting
        await events.aclose()

    asyncio.run(listen())


@pytest.mark.parametrize(
    ("last", "rest"),
    [
        ("", "abc"),
        ("20300102030405-0", "bc"),
        ("20300102030405-2", ""),
        ("0", "bc"),
        ("1", "c"),
        ("7", ""),
        ("20300102030404-1", "abc"),
        ("nonsense", "abc"),
        ("-1", "abc"),
        ("9" * 4000, "abc"),
    ],
)
def test_a_stream_resumes_after_the_last_event_id(ladder: Path, last: str, rest: str) -> None:
    """What is said of another attempt was not heard."""
    number = add_submission(ladder, "one", "ann", "refused", begun="2030-01-02T03:04:05+00:00").id
    add_messages(ladder, number, *"abc")
    events = asyncio.run(read_events(talk(ladder), number, last))
    assert "".join(said for kind, _, said in events if kind == "said") == rest
    assert events[-1][0] == "end"


def test_as_it_comes(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEEPALIVE_SECONDS", 1000.0)
    number = add_submission(ladder, "one").id

    async def listen() -> None:
        kept = talk(ladder)
        first = await kept.history(number)
        assert first
        told = kept.events(first, "")
        waiting = asyncio.create_task(next_event(told))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        with Registry.open(ladder) as registry:
            registry.begin_submission(number)
        add_messages(ladder, number, "a")
        assert '"text":"a"' in await waiting
        add_messages(ladder, number, "b")
        assert '"text":"b"' in await next_event(told)
        with Registry.open(ladder) as registry:
            registry.write("UPDATE submission SET begun = '2031-01-01'")
            registry.write("DELETE FROM step")
        assert await next_event(told) == "event: again\n\n"
        add_messages(ladder, number, "c")
        assert (await next_event(told)).startswith("id: 20310101-0\nevent: said\n")
        with Registry.open(ladder) as registry:
            registry.end_submission(number, "accepted", "ann v1")
        end = await next_event(told)
        assert end.startswith("event: end\n")
        assert json.loads(end.partition("data: ")[2])["page"] == "bots/1-ann-v1.html"
        with pytest.raises(StopAsyncIteration):
            await next_event(told)

    asyncio.run(listen())


def test_a_worker_that_has_not_ended_yet(ladder: Path) -> None:
    """What is accepted in one step and told in the next is over when both is done."""
    number = add_submission(ladder, "one", state="accepted", bot="ann v1", ended="2030-01-02").id

    async def listen() -> None:
        kept = talk(ladder)
        kept.queue.running.add(number)
        found = await kept.history(number)
        assert found
        assert (found.state, found.ended) == ("running", None)
        told = kept.events(found, "")
        waiting = asyncio.create_task(next_event(told))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        add_messages(ladder, number, "welcome")
        assert "welcome" in await waiting
        kept.queue.running.discard(number)
        assert (await next_event(told)).startswith("event: end\n")

    asyncio.run(listen())


def test_listeners_end_with_the_server(ladder: Path) -> None:
    number = add_submission(ladder, "one").id

    async def listen() -> None:
        kept = talk(ladder)
        task = asyncio.create_task(read_events(kept, number))
        await asyncio.sleep(0.1)
        kept.stop()
        assert await asyncio.wait_for(task, 60) == []

    asyncio.run(listen())


def test_a_silent_stream_sends_keep_alives(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_events, "KEEPALIVE_SECONDS", 0.05)
    number = add_submission(ladder, "one").id

    async def listen() -> None:
        kept = talk(ladder)
        first = await kept.history(number)
        assert first
        assert await next_event(kept.events(first, "")) == ": nothing new\n\n"

    asyncio.run(listen())


def test_many_listeners_share_one_read(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_events, "RUNNING_INTERVAL", 1000.0)
    number = add_submission(ladder, "one").id
    reads = 0
    read = SubmissionFeed.read

    def counted(self: SubmissionFeed, number: str) -> object:
        nonlocal reads
        reads += 1
        return read(self, number)

    monkeypatch.setattr(SubmissionFeed, "read", counted)

    async def crowd() -> None:
        kept = talk(ladder)
        found = await asyncio.gather(*(kept.history(number) for _ in range(50)))
        assert all(one is found[0] for one in found)
        assert await kept.history("nobody knows it") is None

    asyncio.run(crowd())
    assert reads == 2
