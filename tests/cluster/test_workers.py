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
    return ClusterWorker(f"tcp://{name}", name, cores, **{"info": FACTS, **other})


def make_pool(*workers: ClusterWorker, most: int | None = None, pace: float = 0.0) -> WorkerPool:
    """These workers."""
    pool = WorkerPool(most)
    pool.workers = {one.address: one for one in workers}
    pool.task_seconds = pace
    return pool


def fill(pool: WorkerPool, digests: Sequence[str] = (), limit: int = 1000) -> list[str]:
    """Give orders until nobody takes one; who got them."""
    found: list[str] = []
    for number in range(limit):
        if not (chosen := pool.choose(digests)):
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
    pool = make_pool(worker("a", 3), pace=pace)
    assert pool.depth == depth
    assert len(fill(pool)) == 3 * depth


def test_the_pace_is_that_of_the_last_ones() -> None:
    pool = WorkerPool()
    pool.add_duration(10.0)
    assert pool.task_seconds == 10.0
    pool.add_duration(0.0)
    assert pool.task_seconds == pytest.approx(8.0)
    for _ in range(50):
        pool.add_duration(1.0)
    assert pool.task_seconds == pytest.approx(1.0, abs=0.01)


def test_the_least_busy_comes_first() -> None:
    pool = make_pool(worker("a"), worker("b", 2), pace=100.0)
    assert sorted(fill(pool)[:3]) == ["a", "b", "b"], "all cores before any has two"
    assert pool.free_slots() == 0


def test_workers_that_hold_the_bots_come_first() -> None:
    pool = make_pool(
        worker("a"), worker("b", sent_bots={FOX.digest}), worker("c", sent_bots={WOLF.digest})
    )
    for wanted, who in (([FOX], "b"), ([WOLF], "c"), ([FOX, HEN], "b")):
        chosen = pool.choose([one.digest for one in wanted])
        assert chosen is not None
        assert chosen.name == who
    pool.workers["tcp://b"].orders[1] = 0.0
    chosen = pool.choose([FOX.digest])
    assert chosen is not None
    assert chosen.name != "b", "but not if it is busy"


def test_avoided_workers_come_last() -> None:
    pool = make_pool(worker("a", sent_bots={FOX.digest}), worker("b", orders={1: 0.0}))
    chosen = pool.choose([FOX.digest], {"tcp://a"})
    assert chosen is not None
    assert chosen.name == "b", "however busy others are"
    pool.workers["tcp://b"].refusal = "old"
    chosen = pool.choose([FOX.digest], {"tcp://a"})
    assert chosen is not None
    assert chosen.name == "a", "but rather than nobody"


@pytest.mark.parametrize("reason", [{"info": None}, {"refusal": "old"}, {"is_suspended": True}])
def test_unusable_workers_get_no_task(reason: dict[str, Any]) -> None:
    pool = make_pool(worker("a", **reason))
    assert (pool.choose([]), pool.free_slots(), list(pool.ready)) == (None, 0, [])
    assert len(pool.usable) == ("refusal" not in reason)
    assert pool.cores == ("refusal" not in reason)


def test_a_pool_without_workers() -> None:
    pool = make_pool()
    assert (pool.choose([FOX.digest]), pool.free_slots(), pool.cores) == (None, 0, 0)
    assert pool.unplayable_reason([FOX]) == ""


def test_a_worker_that_cannot_play_a_bot_plays_others() -> None:
    pool = make_pool(worker("a", unplayable_bots={FOX.digest: "no"}), worker("b"))
    assert set(fill(pool, [FOX.digest, HEN.digest])) == {"b"}
    assert set(fill(pool, [HEN.digest])) == {"a"}


def test_the_reason_why_no_worker_can_play_a_bot() -> None:
    pool = make_pool(worker("a", unplayable_bots={FOX.digest: "no perl"}), worker("b"))
    assert pool.unplayable_reason([FOX]) == "", "somebody can"
    pool.workers["tcp://b"].unplayable_bots = {FOX.digest: "no perl"}
    assert pool.unplayable_reason([HEN, WOLF]) == ""
    assert pool.unplayable_reason([HEN, FOX]) == "a cannot play f, no perl"
    pool.workers["tcp://b"].unplayable_bots = {FOX.digest: "no disk", HEN.digest: "no node"}
    assert (
        pool.unplayable_reason([HEN, FOX]) == "a cannot play f, no perl; b cannot play h, no node"
    )
    pool.workers["tcp://c"] = worker("c", refusal="old", unplayable_bots={})
    assert pool.unplayable_reason([FOX]) != "", "who gets nothing cannot help"
    pool.workers["tcp://d"] = worker("d", info=None)
    pool.workers["tcp://a"].unplayable_bots = {WOLF.digest: "no cc"}
    pool.workers["tcp://b"].unplayable_bots = {FOX.digest: "no perl"}
    assert (
        pool.unplayable_reason([FOX, WOLF]) == "a cannot play w, no cc; b cannot play f, no perl"
    ), "two who can play one each are not one who can play both"


def test_programs_that_are_missing() -> None:
    here = worker("a", info=WorkerInfo("1", {"perl": "get perl", "go": "get go"}, ""))
    entries = [(FOX, ("go", "perl")), (WOLF, ("node",)), (HEN, ("make", "perl"))]
    assert here.find_unplayable_bots(entries) == [
        "f, which needs go; get go",
        "h, which needs perl; get perl",
    ]
    assert here.unplayable_bots == {
        FOX.digest: "which needs go; get go",
        HEN.digest: "which needs perl; get perl",
    }
    assert here.find_unplayable_bots(entries) == [], "it is said once"
    assert worker("b", info=None).find_unplayable_bots(entries) == []


def test_silent_seconds() -> None:
    one = worker("a", last_heard=100.0)
    assert one.silent_seconds(500.0) == 0.0, "who has nothing to do owes nothing"
    one.orders = {1: 150.0, 2: 400.0}
    assert one.silent_seconds(500.0) == 350.0
    one.last_heard = 480.0
    assert one.silent_seconds(500.0) == 20.0
    one.is_suspended = True
    assert one.silent_seconds(500.0) == 0.0


def busy(pool: WorkerPool) -> int:
    """How many cores have something to do."""
    return sum(min(len(one.orders), one.cores) for one in pool.workers.values())


def test_no_more_cores_at_once_than_may_be_used() -> None:
    """Whoever says --workers 2 has two chunks played at a time, wherever that is."""
    pool = make_pool(worker("a", 4), worker("b", 4), most=2, pace=0.1)
    assert pool.cores == 2
    fill(pool)
    assert busy(pool) == 2
    assert not pool.has_spare_core()
    pool.workers["tcp://a"].refusal = pool.workers["tcp://b"].refusal = "old"
    pool.workers["tcp://c"] = worker("c")
    assert pool.choose([]) is None, "what they still have counts"


def test_usable_workers_get_tasks_in_advance() -> None:
    pool = make_pool(*(worker(name) for name in "abc"), most=2, pace=100.0)
    assert pool.free_slots() == 2 * pool.depth
    assert len(set(fill(pool))) == 2
    assert pool.free_slots() == 0


DIGESTS = [one.digest for one in (FOX, WOLF, HEN)]
WORKERS = st.lists(
    st.builds(
        lambda cores, info, refusal, suspended, unplayable, sent: (
            cores,
            info,
            refusal,
            suspended,
            unplayable,
            sent,
        ),
        st.integers(1, 6),
        st.sampled_from([None, FACTS, FACTS, FACTS]),
        st.sampled_from(["", "", "", "old"]),
        st.sampled_from([False, False, False, True]),
        st.sets(st.sampled_from(DIGESTS)),
        st.sets(st.sampled_from(DIGESTS)),
    ),
    max_size=5,
)
POOLS = st.builds(
    lambda rows, most, pace: make_pool(
        *(
            worker(
                str(number),
                cores,
                info=info,
                refusal=refusal,
                is_suspended=suspended,
                unplayable_bots=dict.fromkeys(unplayable, "no"),
                sent_bots=sent,
            )
            for number, (cores, info, refusal, suspended, unplayable, sent) in enumerate(rows)
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
@given(POOLS, TASKS)
def test_random_tasks_are_assigned_fairly(pool: WorkerPool, tasks: list[set[str]]) -> None:
    """Nobody gets more than its share, or what it cannot play; and nobody is idle for nothing."""
    for number, wanted in enumerate(tasks):
        free = pool.free_slots()
        chosen = pool.choose(sorted(wanted))
        can = [
            one
            for one in pool.ready
            if one.can_play(wanted)
            and len(one.orders) < pool.depth * one.cores
            and (pool.has_spare_core() or not one.has_free_core)
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
        assert len(chosen.orders) <= pool.depth * chosen.cores
        assert pool.free_slots() == free - 1
        assert pool.max_cores is None or busy(pool) <= pool.max_cores
