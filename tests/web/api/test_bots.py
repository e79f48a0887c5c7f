"""Bots for programs: all of them some at a time, and each with all its versions."""

from pathlib import Path

import pytest

from arena.ladder.facts import Version
from arena.ladder.folder import open_ladder
from arena.ladder.registry import Registry
from arena.store.database import explained, transaction
from arena.store.founding import write_header
from arena.store.run import Run
from tests.web.conftest import BOTS
from tests.web.laddering import copied, serving
from tests.web.serving import Served

pytestmark = pytest.mark.slow

NAMES = list(BOTS)
NASTY = "<script>alert(1)</script> \"'&"


def test_all_of_them(there: Served) -> None:
    found = there.ask("/api/bots").json
    assert [one["name"] for one in found["bots"]] == NAMES
    assert found["next"] is None
    for one in found["bots"]:
        assert (one["owner"], one["versions"], one["state"]) == ("", 1, "active")
        assert one["bot"] == f"{one['name']} v1"
        assert there.ask(f"/{one['page']}").status == 200


def test_some_at_a_time(there: Served) -> None:
    names, after = [], ""
    while True:
        found = there.ask(f"/api/bots?limit=3{after}").json
        assert len(found["bots"]) <= 3
        names += [one["name"] for one in found["bots"]]
        if found["next"] is None:
            break
        after = f"&after={found['next']}"
    assert names == NAMES
    assert there.ask("/api/bots?after=zzz").json == {"bots": [], "next": None}


def test_one(there: Served) -> None:
    found = there.ask("/api/bots/careful").json
    (version,) = found["versions"]
    assert (version["bot"], version["number"], version["state"]) == ("careful v1", 1, "active")
    lines = there.ask("/api/standings").json["table"]["lines"]
    assert version["rating"] == next(line for line in lines if line["bot"] == "careful v1")
    assert [(one["variant"], one["seats"]) for one in version["parts"]] == [
        ("sticheln", None),
        ("stick-em", None),
    ]
    for part in version["parts"]:
        table = there.ask(f"/api/standings?variant={part['variant']}").json["table"]
        assert part["line"] in table["lines"]
        assert part["ranked"] == sum(line["rank"] is not None for line in table["lines"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("nobody", 404),
        ("Careful", 404),
        ("careful%20v1", 422),
        ("%3Cb%3E", 422),
        ("..", 422),
        ("x" * 33, 422),
        ("careful?x=1", 422),
    ],
)
def test_nobody(there: Served, path: str, status: int) -> None:
    answer = there.ask(f"/api/bots/{path}")
    assert (answer.status, set(answer.json)) == (status, {"error"})


def test_versions(ladder: Path, tmp_path: Path) -> None:
    """One that was just accepted is there before the site is worked out again, without figures."""
    folder = copied(ladder, tmp_path / "ladder")
    before = "import arena.web.showing as showing; showing.REST = 1000.0\n"
    with serving(folder, before=before) as there:
        there.ask("/api/bots")
        with Run.join(folder) as run, explained(run.file), transaction(run.connection):
            registry = Registry(run.file, run.connection)
            registry.admit(
                Version(
                    bot="careful v2",
                    name="careful",
                    number=2,
                    owner="",
                    digest="f" * 64,
                    message=NASTY,
                    submitted="2030-01-01T00:00:00+00:00",
                )
            )
            head = open_ladder(folder).header(registry.versions(), run.header.seed)
            write_header(run.connection, folder, head)
        first, second = there.ask("/api/bots/careful").json["versions"]
        assert (first["state"], first["until"]) == ("superseded", "2030-01-01T00:00:00+00:00")
        assert first["rating"]["games"] > 0
        assert (second["rating"], second["parts"], second["page"]) == (None, [], None)
        assert second["message"] == NASTY
        last = there.ask("/api/bots/careful?limit=1").json
        assert (last["versions"], last["next"]) == ([second], 2)
        rest = there.ask("/api/bots/careful?limit=1&before=2").json
        assert (rest["versions"], rest["next"]) == ([first], None)
        assert there.ask("/api/bots/careful?limit=101").status == 422
        entry = there.ask("/api/bots?limit=1").json["bots"][0]
        assert (entry["bot"], entry["versions"], entry["rating"]) == ("careful v2", 2, None)
    with serving(folder) as there:
        first, second = there.ask("/api/bots/careful").json["versions"]
        assert (first["rating"]["rank"], first["rating"]["games"] > 0) == (None, True)
        assert second["rating"]["games"] == 0
        page = there.ask(f"/{second['page']}").text
        assert "<script>alert" not in page
