"""Who gets what next: nobody too much, nobody what it cannot play."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cluster.messages import BotEntry, WorkerInfo
from arena.cluster.workers import MAX_DEPTH, SECONDS_AHEAD, ClusterWorker, WorkerPool

FOX, WOLF, HEN = (BotEntry(name * 64, name) for name in "fwh")
FACTS = WorkerInfo("1", {}, "")


def worker(name: str, cores: int = 1, **other: Any) -> ClusterWorker:
    """A worker that can be given something."""
    made = ClusterWorker(f"tcp://{name}", name, cores, FACTS)
    for key, value in other.items():
        setattr(made, key, value)
    return made


def roster(*workers: ClusterWorker, most: int | None = None, pace: float = 0.0) -> WorkerPool:
    """These workers."""
    made = WorkerPool(most)
    made.workers = {one.address: one for one in workers}
    made.task_seconds = pace
    return made


def fill(made: WorkerPool, digests: Sequence[str] = (), limit: int = 1000) -> list[str]:
    """Give orders until nobody takes one; who got them."""
    found: list[str] = []
    for number in range(limit):
        if not (chosen := made.choose(digests)):
            return found
        chosen.orders[number] = 0.0
        chosen.sent_bots.update(digests)
        found.append(chosen.name)
    raise AssertionError("they take whatever comes")


@pytest.mark.parametrize(
    ("pace", "depth"),
    [
        (0.0, 2),
        (100.0, 2),
        (SECONDS_AHEAD, 2),
        (SECONDS_AHEAD / 2, 3),
        (SECONDS_AHEAD / 2.5, 4),
        (0.001, MAX_DEPTH),
    ],
)
def test_short_orders_are_given_many_at_once(pace: float, depth: int) -> None:
    made = roster(worker("a", 3), pace=pace)
    assert made.depth == depth
    assert len(fill(made)) == 3 * depth


def test_the_pace_is_that_of_the_last_ones() -> None:
    made = WorkerPool()
    made.add_duration(10.0)
    assert made.task_seconds == 10.0
    made.add_duration(0.0)
    assert made.task_seconds == pytest.approx(8.0)
    for _ in range(50):
        made.add_duration(1.0)
    assert made.task_seconds == pytest.approx(1.0, abs=0.01)


def test_the_least_busy_comes_first() -> None:
    made = roster(worker("a"), worker("b", 2), pace=100.0)
    assert sorted(fill(made)[:3]) == ["a", "b", "b"], "all cores before any has two"
    assert made.free_slots() == 0


def test_who_has_the_bots_comes_first() -> None:
    made = roster(
        worker("a"), worker("b", sent_bots={FOX.digest}), worker("c", sent_bots={WOLF.digest})
    )
    for wanted, who in (([FOX], "b"), ([WOLF], "c"), ([FOX, HEN], "b")):
        chosen = made.choose([one.digest for one in wanted])
        assert chosen is not None
        assert chosen.name == who
    made.workers["tcp://b"].orders[1] = 0.0
    chosen = made.choose([FOX.digest])
    assert chosen is not None
    assert chosen.name != "b", "but not if it is busy"


def test_who_is_shunned_comes_last() -> None:
    made = roster(worker("a", sent_bots={FOX.digest}), worker("b", orders={1: 0.0}))
    chosen = made.choose([FOX.digest], {"tcp://a"})
    assert chosen is not None
    assert chosen.name == "b", "however busy others are"
    made.workers["tcp://b"].refusal = "old"
    chosen = made.choose([FOX.digest], {"tcp://a"})
    assert chosen is not None
    assert chosen.name == "a", "but rather than nobody"


@pytest.mark.parametrize("reason", [{"info": None}, {"refusal": "old"}, {"is_suspended": True}])
def test_who_gets_nothing(reason: dict[str, Any]) -> None:
    made = roster(worker("a", **reason))
    assert (made.choose([]), made.free_slots(), list(made.ready)) == (None, 0, [])
    assert len(made.usable) == ("refusal" not in reason)
    assert made.cores == ("refusal" not in reason)


def test_nobody() -> None:
    made = roster()
    assert (made.choose([FOX.digest]), made.free_slots(), made.cores) == (None, 0, 0)
    assert made.unplayable_reason([FOX]) == ""


def test_who_cannot_play_a_bot_plays_others() -> None:
    made = roster(worker("a", unplayable_bots={FOX.digest: "no"}), worker("b"))
    assert set(fill(made, [FOX.digest, HEN.digest])) == {"b"}
    assert set(fill(made, [HEN.digest])) == {"a"}


def test_why_nobody_can() -> None:
    made = roster(worker("a", unplayable_bots={FOX.digest: "no perl"}), worker("b"))
    assert made.unplayable_reason([FOX]) == "", "somebody can"
    made.workers["tcp://b"].unplayable_bots = {FOX.digest: "no perl"}
    assert made.unplayable_reason([HEN, WOLF]) == ""
    assert made.unplayable_reason([HEN, FOX]) == "a cannot play f, no perl"
    made.workers["tcp://b"].unplayable_bots = {FOX.digest: "no disk", HEN.digest: "no node"}
    assert (
        made.unplayable_reason([HEN, FOX]) == "a cannot play f, no perl; b cannot play h, no node"
    )
    made.workers["tcp://c"] = worker("c", refusal="old", unplayable_bots={})
    assert made.unplayable_reason([FOX]) != "", "who gets nothing cannot help"
    made.workers["tcp://d"] = worker("d", info=None)
    made.workers["tcp://a"].unplayable_bots = {WOLF.digest: "no cc"}
    made.workers["tcp://b"].unplayable_bots = {FOX.digest: "no perl"}
    assert (
        made.unplayable_reason([FOX, WOLF]) == "a cannot play w, no cc; b cannot play f, no perl"
    ), "two who can play one each are not one who can play both"


def test_programs_that_are_missing() -> None:
    here = worker("a", info=WorkerInfo("1", {"perl": "get perl", "go": "get go"}, ""))
    told = [(FOX, ("go", "perl")), (WOLF, ("node",)), (HEN, ("make", "perl"))]
    assert here.find_unplayable_bots(told) == [
        "f, which needs go; get go",
        "h, which needs perl; get perl",
    ]
    assert here.unplayable_bots == {
        FOX.digest: "which needs go; get go",
        HEN.digest: "which needs perl; get perl",
    }
    assert here.find_unplayable_bots(told) == [], "it is said once"
    assert worker("b", info=None).find_unplayable_bots(told) == []


def test_silence() -> None:
    one = worker("a", last_heard=100.0)
    assert one.silent_seconds(500.0) == 0.0, "who has nothing to do owes nothing"
    one.orders = {1: 150.0, 2: 400.0}
    assert one.silent_seconds(500.0) == 350.0
    one.last_heard = 480.0
    assert one.silent_seconds(500.0) == 20.0
    one.is_suspended = True
    assert one.silent_seconds(500.0) == 0.0


def busy(made: WorkerPool) -> int:
    """How many cores have something to do."""
    return sum(min(len(one.orders), one.cores) for one in made.workers.values())


def test_no_more_cores_at_once_than_may_be_used() -> None:
    """Whoever says --workers 2 has two chunks played at a time, wherever that is."""
    made = roster(worker("a", 4), worker("b", 4), most=2, pace=0.1)
    assert made.cores == 2
    fill(made)
    assert busy(made) == 2
    assert not made.has_spare_core()
    made.workers["tcp://a"].refusal = made.workers["tcp://b"].refusal = "old"
    made.workers["tcp://c"] = worker("c")
    assert made.choose([]) is None, "what they still have counts"


def test_those_that_may_be_used_have_work_ahead() -> None:
    made = roster(*(worker(name) for name in "abc"), most=2, pace=100.0)
    assert made.free_slots() == 2 * made.depth
    assert len(set(fill(made))) == 2
    assert made.free_slots() == 0


DIGESTS = [one.digest for one in (FOX, WOLF, HEN)]
WORKERS = st.lists(
    st.builds(
        lambda cores, facts, refused, aside, unfit, has: (cores, facts, refused, aside, unfit, has),
        st.integers(1, 6),
        st.sampled_from([None, FACTS, FACTS, FACTS]),
        st.sampled_from(["", "", "", "old"]),
        st.sampled_from([False, False, False, True]),
        st.sets(st.sampled_from(DIGESTS)),
        st.sets(st.sampled_from(DIGESTS)),
    ),
    max_size=5,
)
ROSTERS = st.builds(
    lambda told, most, pace: roster(
        *(
            worker(
                str(number),
                cores,
                facts=facts,
                refused=refused,
                aside=aside,
                unfit=dict.fromkeys(unfit, "no"),
                has=has,
            )
            for number, (cores, facts, refused, aside, unfit, has) in enumerate(told)
        ),
        most=most,
        pace=pace,
    ),
    WORKERS,
    st.none() | st.integers(1, 12),
    st.just(0.0) | st.floats(0.001, 1000.0),
)
TASKS = st.lists(st.sets(st.sampled_from(DIGESTS), min_size=1), max_size=150)


@settings(max_examples=60, deadline=None)
@given(ROSTERS, TASKS)
def test_whatever_comes(made: WorkerPool, tasks: list[set[str]]) -> None:
    """Nobody gets more than its share, or what it cannot play; and nobody is idle for nothing."""
    for number, wanted in enumerate(tasks):
        free = made.free_slots()
        chosen = made.choose(sorted(wanted))
        can = [
            one
            for one in made.ready
            if one.can_play(wanted)
            and len(one.orders) < made.depth * one.cores
            and (made.has_spare_core() or not one.has_free_core)
        ]
        if chosen is None:
            assert not free or not can
            continue
        assert free > 0
        assert chosen in can
        assert chosen.is_ready
        assert not wanted & chosen.unplayable_bots.keys()
        least = len(chosen.orders) // chosen.cores
        assert all(least <= len(one.orders) // one.cores for one in can)
        chosen.orders[number] = 0.0
        assert len(chosen.orders) <= made.depth * chosen.cores
        assert made.free_slots() == free - 1
        assert made.max_cores is None or busy(made) <= made.max_cores
