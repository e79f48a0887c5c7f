"""Bots for programs: all of them some at a time, and each with all its versions."""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.ladder.create import add_reference_bots
from arena.ladder.folder import open_ladder
from arena.ladder.models import Version
from arena.ladder.registry import Registry
from arena.store.database import explain_errors, transaction
from arena.store.header import write_header
from arena.store.run import Run
from arena.web.api import bots
from tests.ladder.factories import create_ladder, guilty_bot, submit_bot, write_script
from tests.web.conftest import BOTS
from tests.web.ladders import copy_ladder, create_token, serve_ladder
from tests.web.server_process import ServerProcess

pytestmark = pytest.mark.slow

NAMES = list(BOTS)
NASTY = "<script>alert(1)</script> \"'&"


def test_all_bots(ladder_server: ServerProcess) -> None:
    found = ladder_server.request("/api/bots").json
    assert [one["name"] for one in found["bots"]] == NAMES
    assert found["next"] is None
    for one in found["bots"]:
        assert (one["owner"], one["versions"], one["state"]) == ("", 1, "active")
        assert one["bot"] == f"{one['name']} v1"
        assert ladder_server.request(f"/{one['page']}").status == 200


def test_bots_in_pages(ladder_server: ServerProcess) -> None:
    names, after = [], ""
    while True:
        found = ladder_server.request(f"/api/bots?limit=3{after}").json
        assert len(found["bots"]) <= 3
        names += [one["name"] for one in found["bots"]]
        if found["next"] is None:
            break
        after = f"&after={found['next']}"
    assert names == NAMES
    assert ladder_server.request("/api/bots?after=zzz").json == {"bots": [], "next": None}


def test_one_bot(ladder_server: ServerProcess) -> None:
    found = ladder_server.request("/api/bots/careful").json
    (version,) = found["versions"]
    assert (version["bot"], version["number"], version["state"]) == ("careful v1", 1, "active")
    lines = ladder_server.request("/api/standings").json["table"]["lines"]
    assert version["rating"] == next(line for line in lines if line["bot"] == "careful v1")
    assert [(one["variant"], one["seats"]) for one in version["parts"]] == [
        ("sticheln", None),
        ("stick-em", None),
    ]
    for part in version["parts"]:
        table = ladder_server.request(f"/api/standings?variant={part['variant']}").json["table"]
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
def test_unknown_bots(ladder_server: ServerProcess, path: str, status: int) -> None:
    answer = ladder_server.request(f"/api/bots/{path}")
    assert (answer.status, set(answer.json)) == (status, {"error"})


def test_versions(ladder: Path, tmp_path: Path) -> None:
    """One that was just accepted is there before the site is worked out again, without figures."""
    folder = copy_ladder(ladder, tmp_path / "ladder")
    before = "import arena.web.site_cache as cache; cache.MIN_INTERVAL = 1000.0\n"
    with serve_ladder(folder, before=before) as there:
        there.request("/api/bots")
        with Run.open_beside(folder) as run, explain_errors(run.file), transaction(run.connection):
            registry = Registry.of_run(run)
            registry.add_version(
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
            head = open_ladder(folder).run_header(registry.versions(), run.header.seed)
            write_header(run.connection, folder, head)
        first, second = there.request("/api/bots/careful").json["versions"]
        assert (first["state"], first["until"]) == ("superseded", "2030-01-01T00:00:00+00:00")
        assert first["rating"]["games"] > 0
        assert (second["rating"], second["parts"], second["page"]) == (None, [], None)
        assert second["message"] == NASTY
        last = there.request("/api/bots/careful?limit=1").json
        assert (last["versions"], last["next"]) == ([second], 2)
        rest = there.request("/api/bots/careful?limit=1&before=2").json
        assert (rest["versions"], rest["next"]) == ([first], None)
        assert there.request("/api/bots/careful?limit=101").status == 422
        entry = there.request("/api/bots?limit=1").json["bots"][0]
        assert (entry["bot"], entry["versions"], entry["rating"]) == ("careful v2", 2, None)
    with serve_ladder(folder) as there:
        first, second = there.request("/api/bots/careful").json["versions"]
        assert (first["rating"]["rank"], first["rating"]["games"] > 0) == (None, True)
        assert second["rating"]["games"] == 0
        page = there.request(f"/{second['page']}").text
        assert "<script>alert" not in page


PLAN = "always the seven first"
DEED = f'choice = "Z9"; print("{PLAN}", file=sys.stderr, flush=True)'


@pytest.fixture(scope="module")
def faulty_ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with a bot of which two versions are at fault in every game."""
    folder = tmp_path_factory.mktemp("faults")
    made = create_ladder(folder / "ladder", placement={"games": 6, "share": 1.0})
    add_reference_bots(made)
    for number in (1, 2):
        bot = write_script(folder, "ann.py", guilty_bot(DEED) + f"# {number}\n")
        fate, _ = submit_bot(made, bot, owner="ann")
        assert fate == "accepted"
    return made.folder


@pytest.fixture(scope="module")
def faulty_server(faulty_ladder: Path) -> Iterator[ServerProcess]:
    with serve_ladder(faulty_ladder) as found:
        yield found


def test_the_owner_sees_faults(faulty_ladder: Path, faulty_server: ServerProcess) -> None:
    shown = f"Bearer {create_token(faulty_ladder, 'ann')}"
    found = faulty_server.request("/api/bots/ann/faults?limit=3&version=1", Authorization=shown)
    assert found.status == 200
    assert len(found.json["faults"]) == 3
    for one in found.json["faults"]:
        assert (one["bot"], one["fault"]) == ("ann v1", "illegal")
        assert PLAN in one["evidence"]["stderr"]
        assert '"Z9"' in one["evidence"]["reply"]


def test_the_limit_on_listed_faults(faulty_ladder: Path, faulty_server: ServerProcess) -> None:
    """However many versions there are: the last one first."""
    shown = f"Bearer {create_token(faulty_ladder, 'ann')}"

    def counted(query: str) -> tuple[dict[str, int], bool]:
        found = faulty_server.request(f"/api/bots/ann/faults?{query}", Authorization=shown).json
        return Counter(one["bot"] for one in found["faults"]), found["more"]

    assert counted("limit=2") == ({"ann v2": 2}, True)
    assert counted("limit=2&version=1") == ({"ann v1": 2}, True)
    assert counted("version=3") == ({}, False)
    with Run.open(faulty_ladder) as run:
        every = Counter({name: count for (name, _), count in run.fault_counts().items()})
        most = every["ann v2"] + 1
        found = bots.select_faults(run, ["ann v2", "ann v1"], most)
        assert Counter(one.bot for one in found.faults) == {"ann v2": most - 1, "ann v1": 1}
        found = bots.select_faults(run, ["ann v2", "ann v1"], every.total())
        assert (len(found.faults), found.more) == (every.total(), False)


def test_fewer_faults_with_long_texts_are_listed(
    faulty_ladder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "MAX_FAULT_BYTES", 10)
    with Run.open(faulty_ladder) as run:
        found = bots.select_faults(run, ["ann v2"], 100)
    assert (len(found.faults), found.more) == (1, True)


def test_other_owners_do_not_see_faults(faulty_ladder: Path, faulty_server: ServerProcess) -> None:
    assert faulty_server.request("/api/bots/ann/faults").status == 401
    other = f"Bearer {create_token(faulty_ladder, 'bob')}"
    assert faulty_server.request("/api/bots/ann/faults", Authorization=other).status == 404
    assert faulty_server.request("/api/bots/careful/faults", Authorization=other).status == 404
    assert faulty_server.request("/api/bots/nobody/faults", Authorization=other).status == 404
    assert faulty_server.request("/api/bots/ann/faults?limit=0", Authorization=other).status == 422


def test_stderr_is_in_no_page_and_no_record(faulty_server: ServerProcess) -> None:
    page = faulty_server.request("/api/bots/ann").json["versions"][0]["page"]
    text = faulty_server.request(f"/{page}").text
    assert "Z9" in text
    assert "for its owner only" in text
    assert PLAN not in text
    games = faulty_server.request("/api/games?bot=ann%20v1").json["games"]
    assert games
    told = json.dumps(faulty_server.request(f"/api/games/{games[0]['id']}").json)
    assert "Z9" in told
    assert PLAN not in told
    packs = "".join(faulty_server.request(f"/packs/{digit:x}.js").text for digit in range(16))
    plain = [zlib.decompress(base64.b64decode(one)) for one in re.findall(r'":"([^"]*)"', packs)]
    assert any(b"Z9" in one for one in plain)
    assert not any(PLAN.encode() in one for one in plain)
