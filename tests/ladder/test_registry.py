"""What a ladder writes down of versions, submissions and nights."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from arena.errors import ArenaError
from arena.ladder import registry_schema
from arena.ladder.folder import Ladder
from arena.ladder.models import NightLimits, NightSummary, Submission, SubmissionMessage, Version
from arena.ladder.registry import Registry
from arena.report.data.ladder_info import RankChange
from arena.store.database import BadRun, transaction
from arena.store.header import utc_now
from tests.store.old_versions import run_in_parallel


def version(name: str, number: int, owner: str = "ann", digest: str = "") -> Version:
    return Version(
        bot=f"{name} v{number}",
        name=name,
        number=number,
        owner=owner,
        digest=digest or f"{name} {number}",
        message="",
        submitted=f"2030-01-0{number}T00:00:00+00:00",
        description="It <plays>.",
    )


def make_submission(
    number: str, owner: str = "ann", sent: str = "2030-01-01T00:00:00"
) -> Submission:
    return Submission(
        id=number,
        owner=owner,
        file="ann.zip",
        name="",
        message="",
        size=1,
        state="waiting",
        sent=sent,
    )


AIM = NightLimits(round=8, games=6)
SUMMARY = NightSummary(
    blocks=1,
    games=6,
    seconds=1.5,
    new=("bob v1",),
    retired=(("ann v1", "it faulted"),),
    moves=(RankChange("bob v1", None, 1, None, 25.0),),
    last=7,
)


@pytest.fixture
def registry(empty_ladder: Ladder) -> Iterator[Registry]:
    with Registry.open(empty_ladder.folder) as opened:
        yield opened


def admit(registry: Registry, *versions: Version) -> None:
    with transaction(registry.connection):
        for one in versions:
            registry.add_version(one)


def test_a_new_version_supersedes_the_one_before(registry: Registry) -> None:
    first, second = version("ann", 1), version("ann", 2)
    admit(registry, first, version("bob", 1), second)
    states = {one.bot: (one.state, one.until) for one in registry.versions()}
    assert states == {
        "ann v1": ("superseded", second.submitted),
        "bob v1": ("active", None),
        "ann v2": ("active", None),
    }
    assert [one.bot for one in registry.active_versions()] == ["bob v1", "ann v2"]
    assert [one.number for one in registry.versions(name="ann")] == [1, 2]
    assert registry.versions(name="ann")[1] == second, "all of it is kept"


def test_a_retired_version_is_not_superseded(registry: Registry) -> None:
    admit(registry, version("ann", 1))
    night = registry.begin_night(AIM, ["ann v1"])
    registry.save_summary(night.number, SUMMARY)
    admit(registry, version("ann", 2))
    one, two = registry.versions()
    assert (one.state, one.why, two.state) == ("retired", "it faulted", "active")
    assert one.until is not None


@pytest.mark.parametrize(
    "other", [version("ann", 1, digest="x"), version("bob", 1, digest="ann 1")]
)
def test_neither_a_name_nor_a_content_is_there_twice(registry: Registry, other: Version) -> None:
    admit(registry, version("ann", 1))
    with pytest.raises(sqlite3.IntegrityError):
        admit(registry, other)
    assert [one.bot for one in registry.active_versions()] == ["ann v1"], "nothing of it is kept"


def test_the_life_of_a_submission(registry: Registry) -> None:
    registry.add_submission(make_submission("a"))
    assert registry.submissions("waiting") == [make_submission("a")]
    registry.begin_submission("a")
    registry.add_message("a", SubmissionMessage(step="unpack", passed=True))
    registry.add_message(
        "a", SubmissionMessage(step="name", text="it will be ann v1", table=[["x"]])
    )
    assert [said.step for said in registry.messages("a")] == ["unpack", "name"]
    assert [said.step for said in registry.messages("a", 1)] == ["name"]
    registry.begin_submission("a")
    assert registry.messages("a") == [], "who begins again says all again"
    registry.end_submission("a", "accepted", "ann v1")
    found = registry.submission("a")
    assert found is not None
    assert found.is_over
    assert (found.state, found.bot) == ("accepted", "ann v1")
    assert registry.submission("b") is None


def test_a_finished_submission_does_not_change(registry: Registry) -> None:
    registry.add_submission(make_submission("a"))
    registry.end_submission("a", "accepted", "ann v1")
    registry.end_submission("a", "broken")
    found = registry.submission("a")
    assert found is not None
    assert (found.state, found.bot) == ("accepted", "ann v1")


def test_submissions_by_owner(registry: Registry) -> None:
    registry.add_submission(make_submission("a", sent="2030-01-01T00:00:00"))
    registry.add_submission(make_submission("b", sent="2030-01-01T00:00:01"))
    registry.add_submission(make_submission("c", owner="bob", sent="2030-01-01T00:00:01"))
    assert registry.count_sent_since("ann", "2030-01-01T00:00:00") == 1
    assert registry.count_sent_since("ann", "2029") == 2
    assert registry.count_sent_since("eve", "2029") == 0


def test_a_check_that_fails_keeps_a_submission_out(registry: Registry) -> None:
    def check() -> None:
        raise ArenaError("not today")

    with pytest.raises(ArenaError, match="not today"):
        registry.add_submission(make_submission("a"), check)
    assert registry.submissions() == []
    registry.add_submission(make_submission("a"))


def test_nights(registry: Registry) -> None:
    assert registry.open_night() is None
    night = registry.begin_night(AIM, ["ann v1", "bob v1"])
    assert (night.number, night.last, night.ended) == (1, 0, None)
    assert night.aim == AIM
    assert night.bots == ("ann v1", "bob v1")
    assert registry.open_night() == night
    registry.save_summary(1, SUMMARY)
    begun = registry.open_night()
    assert begun is not None
    assert begun.summary == SUMMARY, "its pages are not written yet"
    registry.end_night(1)
    assert registry.open_night() is None
    assert registry.begin_night(AIM, []).number == 2
    assert [one.number for one in registry.nights()] == [1, 2]


def test_retirement_and_summary_are_one_transaction(registry: Registry) -> None:
    admit(registry, version("ann", 1))
    registry.begin_night(AIM, ["ann v1"])
    registry.connection.execute(
        "CREATE TRIGGER full BEFORE UPDATE ON night BEGIN SELECT raise(ABORT, 'the disk'); END"
    )
    with pytest.raises(BadRun, match="the disk"):
        registry.save_summary(1, SUMMARY)
    assert [one.state for one in registry.versions()] == ["active"]


def test_many_write_at_the_same_time(empty_ladder: Ladder) -> None:
    with Registry.open(empty_ladder.folder) as one, Registry.open(empty_ladder.folder) as other:
        for number in range(10):
            one.add_submission(make_submission(f"a{number}"))
            other.add_submission(make_submission(f"b{number}"))
        assert len(one.submissions()) == len(other.submissions()) == 20


@pytest.mark.slow
def test_processes_that_bring_a_ladder_up_to_date_at_once(empty_ladder: Ladder) -> None:
    """Each has seen the old version before the first has changed it."""
    first = (
        "from pathlib import Path\nfrom arena.ladder import registry_schema as schema\n"
        "from arena.ladder.registry import Registry\nfrom tests.store.old_versions import SLOW\n"
        "schema.MIGRATIONS = (*schema.MIGRATIONS, SLOW)"
    )
    assert (
        run_in_parallel(first, "Registry.open(Path(sys.argv[1]))", [empty_ladder.folder])
        == [""] * 4
    )
    with closing(sqlite3.connect(empty_ladder.folder / "run.db")) as connection:
        version = connection.execute("SELECT version FROM ladder").fetchone()
        assert version == (len(registry_schema.MIGRATIONS) + 1,)
        assert connection.execute("SELECT most FROM slow").fetchall() == [(1000000,)]


def test_a_ladder_of_a_newer_program(empty_ladder: Ladder) -> None:
    file = empty_ladder.folder / "run.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE ladder SET version = ?", (len(registry_schema.MIGRATIONS) + 1,))
    with pytest.raises(BadRun, match=r"run.db was made by a newer version of arena; update arena"):
        Registry.open(empty_ladder.folder)


def test_a_ladder_from_before_tries_were_counted(empty_ladder: Ladder) -> None:
    with closing(sqlite3.connect(empty_ladder.folder / "run.db")) as connection, connection:
        connection.execute("ALTER TABLE submission DROP COLUMN tries")
        connection.execute("UPDATE ladder SET version = 1")
        connection.execute(
            "INSERT INTO submission VALUES"
            " ('old', 'Ann', 'a.zip', '', '', 1, 'running', '2030-01-01', NULL, NULL, NULL)"
        )
    with Registry.open(empty_ladder.folder) as registry:
        assert [(one.id, one.tries) for one in registry.submissions()] == [("old", 0)]
        assert [registry.count_try("old"), registry.count_try("old", -1)] == [1, 0]
    with Registry.open(empty_ladder.folder) as registry:
        assert registry.count_try("old") == 1
        assert registry.count_try("new") == 0


def test_texts_are_cut_before_they_are_stored(registry: Registry) -> None:
    long = "".join(map(str, range(300_000)))
    registry.add_submission(make_submission("a"))
    registry.add_message(
        "a", SubmissionMessage(step="x", text=long, evidence={"log": long}, table=[["a", long]])
    )
    (found,) = registry.messages("a")
    assert len(found.text) <= 1000
    assert max(map(len, (*found.evidence.values(), *found.table[0]))) <= 4000
    assert (found.text[:9], found.text[-9:]) == (long[:9], long[-9:]), "its middle is left out"
    assert found.within_limits() == found, "nothing is cut twice"
    ((stored,),) = registry.rows("SELECT length(said) FROM step")
    assert int(str(stored)) < 10_000


def test_a_file_that_is_spoilt(empty_ladder: Ladder) -> None:
    (empty_ladder.folder / "run.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(BadRun, match=r"run.db: it is not the file of a run"):
        Registry.open(empty_ladder.folder)
    (empty_ladder.folder / "run.db").unlink()
    with pytest.raises(BadRun, match=r"is no run: it has no run.db"):
        Registry.open(empty_ladder.folder)


def test_garbled_values_are_reported(registry: Registry) -> None:
    registry.begin_night(AIM, [])
    registry.write("UPDATE night SET bots = ?", "{")
    with pytest.raises(BadRun, match=r"run.db: something in it is garbled"):
        registry.nights()
    registry.add_submission(make_submission("a"))
    registry.write("INSERT INTO step VALUES ('a', 0, ?)", '{"step": 3}')
    with pytest.raises(BadRun, match=r"run.db: something in it is garbled"):
        registry.messages("a")


def test_moments_compare_as_texts() -> None:
    assert utc_now().endswith("+00:00")
    assert len(utc_now()) == len("2030-01-01T00:00:00+00:00")


def test_every_submission_has_deals_of_its_own() -> None:
    assert make_submission("a").placement_salt == "placement a"
    assert make_submission("a").placement_salt != make_submission("b").placement_salt


def test_every_night_has_deals_of_its_own(registry: Registry) -> None:
    night = registry.begin_night(AIM, [])
    assert night.salt == f"night {night.number}"
