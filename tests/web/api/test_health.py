"""Health: what somebody has to know who looks after a ladder, and whether it can be read at all."""

from pathlib import Path

import pytest

from tests.web.ladders import copied, serving
from tests.web.server_process import Served

pytestmark = pytest.mark.slow


def test_a_ladder_that_is_well(there: Served) -> None:
    found = there.ask("/healthz").json
    assert found["status"] == "ok"
    assert (found["waiting"], found["running"]) == (0, 0)
    assert (found["night"], found["night_over"]) == (1, True)
    assert found["night_age"] >= 0
    assert found["free"] > 0
    assert found["site"].startswith("20")


def test_a_ladder_that_cannot_be_read(ladder: Path, tmp_path: Path) -> None:
    """What was shown before still is; what has to be read is said to be unreadable, and not why."""
    folder = copied(ladder, tmp_path / "ladder")
    with serving(folder) as there:
        page = there.ask("/").content
        (folder / "run.db").rename(folder / "away.db")
        answer = there.ask("/healthz")
        assert (answer.status, answer.json["status"]) == (503, "unreadable")
        assert there.ask("/").content == page
        assert there.ask("/api/standings").status in {200, 503}
        for path in ("/api/games", "/api/bots", "/api/nights", "/api/submissions/" + "x" * 22):
            answer = there.ask(path)
            assert answer.status == 503, path
            assert answer.headers["retry-after"]
            assert answer.json == {"error": "the ladder cannot be read just now; try again"}
        (folder / "away.db").rename(folder / "run.db")
        assert there.ask("/healthz").status == 200
