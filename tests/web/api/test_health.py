"""Health: what somebody has to know who looks after a ladder, and whether it can be read at all."""

from pathlib import Path

import pytest

from tests.web.ladders import copy_ladder, serve_ladder
from tests.web.server_process import ServerProcess

pytestmark = pytest.mark.slow


def test_a_ladder_that_is_well(ladder_server: ServerProcess) -> None:
    found = ladder_server.request("/healthz").json
    assert found["status"] == "ok"
    assert (found["waiting"], found["running"]) == (0, 0)
    assert (found["night"], found["night_over"]) == (1, True)
    assert found["night_age"] >= 0
    assert found["free"] > 0
    assert found["site"].startswith("20")


def test_a_ladder_that_cannot_be_read(ladder: Path, tmp_path: Path) -> None:
    """What was shown before still is; what has to be read is said to be unreadable, and not why."""
    folder = copy_ladder(ladder, tmp_path / "ladder")
    with serve_ladder(folder) as there:
        page = there.request("/").content
        (folder / "run.db").rename(folder / "away.db")
        answer = there.request("/healthz")
        assert (answer.status, answer.json["status"]) == (503, "unreadable")
        assert there.request("/").content == page
        assert there.request("/api/standings").status in {200, 503}
        for path in ("/api/games", "/api/bots", "/api/nights", "/api/submissions/" + "x" * 22):
            answer = there.request(path)
            assert answer.status == 503, path
            assert answer.headers["retry-after"]
            assert answer.json == {"error": "the ladder cannot be read just now; try again"}
        (folder / "away.db").rename(folder / "run.db")
        assert there.request("/healthz").status == 200
