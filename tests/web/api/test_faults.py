"""What a bot wrote to stderr when it failed is told to its owner, and to nobody else."""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.ladder.founding import join_references
from arena.store.run import Run
from arena.web.api import faults
from tests.ladder.places import new, script, sly, submit
from tests.web.laddering import serving, token
from tests.web.serving import Served

pytestmark = pytest.mark.slow

PLAN = "always the seven first"
DEED = f'choice = "Z9"; print("{PLAN}", file=sys.stderr, flush=True)'


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with a bot of which two versions are at fault in every game."""
    folder = tmp_path_factory.mktemp("faults")
    made = new(folder / "ladder", placement={"games": 6, "share": 1.0})
    join_references(made)
    for number in (1, 2):
        bot = script(folder, "ann.py", sly(DEED) + f"# {number}\n")
        fate, _ = submit(made, bot, owner="ann")
        assert fate == "accepted"
    return made.folder


@pytest.fixture(scope="module")
def there(ladder: Path) -> Iterator[Served]:
    with serving(ladder) as found:
        yield found


def test_its_owner_sees_it(ladder: Path, there: Served) -> None:
    shown = f"Bearer {token(ladder, 'ann')}"
    found = there.ask("/api/bots/ann/faults?limit=3&version=1", Authorization=shown)
    assert found.status == 200
    assert len(found.json["faults"]) == 3
    for one in found.json["faults"]:
        assert (one["bot"], one["fault"]) == ("ann v1", "illegal")
        assert PLAN in one["evidence"]["stderr"]
        assert '"Z9"' in one["evidence"]["reply"]


def test_so_many_in_all(ladder: Path, there: Served) -> None:
    """However many versions there are: the last one first."""
    shown = f"Bearer {token(ladder, 'ann')}"

    def counted(query: str) -> tuple[dict[str, int], bool]:
        found = there.ask(f"/api/bots/ann/faults?{query}", Authorization=shown).json
        return Counter(one["bot"] for one in found["faults"]), found["more"]

    assert counted("limit=2") == ({"ann v2": 2}, True)
    assert counted("limit=2&version=1") == ({"ann v1": 2}, True)
    assert counted("version=3") == ({}, False)
    with Run.open(ladder) as run:
        every = Counter({name: count for (name, _), count in run.faulted().items()})
        most = every["ann v2"] + 1
        found = faults.some(run, ["ann v2", "ann v1"], most)
        assert Counter(one.bot for one in found.faults) == {"ann v2": most - 1, "ann v1": 1}
        found = faults.some(run, ["ann v2", "ann v1"], every.total())
        assert (len(found.faults), found.more) == (every.total(), False)


def test_long_ones_are_fewer(ladder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "LONGEST", 10)
    with Run.open(ladder) as run:
        found = faults.some(run, ["ann v2"], 100)
    assert (len(found.faults), found.more) == (1, True)


def test_nobody_else_does(ladder: Path, there: Served) -> None:
    assert there.ask("/api/bots/ann/faults").status == 401
    other = f"Bearer {token(ladder, 'bob')}"
    assert there.ask("/api/bots/ann/faults", Authorization=other).status == 404
    assert there.ask("/api/bots/careful/faults", Authorization=other).status == 404
    assert there.ask("/api/bots/nobody/faults", Authorization=other).status == 404
    assert there.ask("/api/bots/ann/faults?limit=0", Authorization=other).status == 422


def test_it_is_in_no_page_and_no_record(there: Served) -> None:
    page = there.ask("/api/bots/ann").json["versions"][0]["page"]
    text = there.ask(f"/{page}").text
    assert "Z9" in text
    assert "for its owner only" in text
    assert PLAN not in text
    games = there.ask("/api/games?bot=ann%20v1").json["games"]
    assert games
    told = json.dumps(there.ask(f"/api/games/{games[0]['id']}").json)
    assert "Z9" in told
    assert PLAN not in told
    packs = "".join(there.ask(f"/packs/{digit:x}.js").text for digit in range(16))
    plain = [zlib.decompress(base64.b64decode(one)) for one in re.findall(r'":"([^"]*)"', packs)]
    assert any(b"Z9" in one for one in plain)
    assert not any(PLAN.encode() in one for one in plain)
