"""A run whose processes are killed at any moment ends like one that nobody has disturbed."""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.bots.reaper import process_tree
from tests.bots.leftover_processes import check_no_leftovers
from tests.tournaments import small_runs
from tests.tournaments.small_runs import TIMEOUT

KILLS = int(os.environ.get("KILLS", "20"))
"""How often something is killed; more if the environment variable KILLS says so."""

MORE = 12
"""Deals that are added when all is played and not enough is killed."""

BURST = 3
"""Kills that may come one after the other: a chunk that is hit once more is not played again."""

PAUSE = 1.0
"""Seconds between two of them, at most: about what a chunk takes."""

QUICK: dict[str, Any] = {"seating": "rotations", "chunk": 1}
"""Changes for which a chunk takes less than a second."""

KINDS = {"sandbox": 40, "worker": 30, "coordinator": 16, "supervisor": 8, "reaper": 6}
"""How often each is chosen; a bot that is killed inside its sandbox is at fault."""


def prey(coordinator: int, kind: str) -> list[int]:
    """The processes of a kind, all of them started by this coordinator."""
    if kind == "coordinator":
        return [coordinator]
    workers = small_runs.find_children([coordinator], "spawn_main")
    supervisors = small_runs.find_children(workers, "arena.bots.supervisor")
    reapers = small_runs.find_children(supervisors, "arena.bots.supervisor")
    sandboxes = small_runs.find_children(reapers, "bwrap")
    found = {"worker": workers, "supervisor": supervisors, "reaper": reapers, "sandbox": sandboxes}
    return found[kind]


def kill(coordinator: int, kind: str, chance: Random) -> bool:
    """Kill a process of this kind; whether there was one."""
    found = prey(coordinator, kind)
    if not found:
        return False
    pid = chance.choice(found)
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if pid not in prey(coordinator, kind):
            return False  # another program may have its number by now
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def chunks(out: Path) -> Counter[str]:
    """How many chunks each worker has played, as far as it came to log it."""
    with suppress(OSError):
        return Counter(re.findall(r"INFO (worker \d+): chunk", (out / "log.txt").read_text()))
    return Counter()


def let_them_play(process: subprocess.Popen[str], out: Path) -> None:
    """Wait until every worker has played a chunk, so that none is hit too often."""
    before = chunks(out)
    until = time.monotonic() + TIMEOUT
    while process.poll() is None and len(chunks(out) - before) < 2:
        assert time.monotonic() < until, "nothing is played any more"
        time.sleep(0.05)


def hunt(process: subprocess.Popen[str], out: Path, chance: Random) -> Counter[str]:
    """Kill until the coordinator is killed, or has ended because all is played."""
    hits: Counter[str] = Counter()
    while process.poll() is None:
        for _ in range(chance.randint(1, BURST)):
            (kind,) = chance.choices(list(KINDS), list(KINDS.values()))
            time.sleep(chance.uniform(0, PAUSE))
            hits[kind] += kill(process.pid, kind, chance)
            if hits["coordinator"]:
                return hits
        let_them_play(process, out)
    return hits


def kill_in_turn(
    process: subprocess.Popen[str], out: Path, chance: Random, left: list[str]
) -> None:
    """Kill one of each kind that is left, until all is played; the coordinator is the last."""
    while left and process.poll() is None:
        if not kill(process.pid, left[0], chance):
            time.sleep(0.02)
        elif left.pop(0) != "coordinator":
            let_them_play(process, out)


def check_undisturbed(file: Path, out: Path, undisturbed: Path) -> None:
    """A run that goes on ends like another one, of the same file, that nobody has disturbed."""
    small_runs.check_whole(file, out)
    assert small_runs.run_contents(out) == small_runs.run_contents(undisturbed)
    told = [re.sub(r'"excuses": \d+', "", one) for one in small_runs.printed_standings(out)]
    assert told == [
        re.sub(r'"excuses": \d+', "", one) for one in small_runs.printed_standings(undisturbed)
    ]


@pytest.mark.slow
@pytest.mark.needs("sandbox")
def test_a_kill_of_each_kind(tmp_path: Path) -> None:
    """No block is lost or counted twice, and nothing is left running."""
    chance, left, deals = Random(1), [*KINDS], 0
    left.sort(key=lambda kind: kind == "coordinator")
    changes, out = small_runs.ONE_GAME_A_BLOCK | {"chunk": 1}, tmp_path / "run"
    while left:
        deals += 4
        file = small_runs.write_tournament(tmp_path, **changes, deals=deals)
        with check_no_leftovers(TIMEOUT), small_runs.start_tournament(file, out) as process:
            kill_in_turn(process, out, chance, left)
            ended = small_runs.wait_for_end(process)
        if left:  # the coordinator was not killed, so it has played all
            assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert process.returncode == -signal.SIGKILL
    small_runs.run_tournament(file, out)
    undisturbed = tmp_path / "undisturbed"
    small_runs.invoke_tournament(
        small_runs.write_tournament(tmp_path, **(changes | {"chunk": 32}), deals=deals), undisturbed
    )
    check_undisturbed(file, out, undisturbed)


@pytest.mark.soak
@pytest.mark.needs("sandbox")
def test_many_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No block is lost or counted twice, and nothing is left running."""
    chance, hits, sessions, deals = Random(1), Counter[str](), 0, MORE
    out = tmp_path / "run"
    file = small_runs.write_tournament(tmp_path, **QUICK, deals=deals)
    while hits.total() < KILLS:
        sessions += 1
        with check_no_leftovers(TIMEOUT), small_runs.start_tournament(file, out) as process:
            killed = hunt(process, out, chance)
            hits += killed
            ended = small_runs.wait_for_end(process)
        if not killed["coordinator"]:  # else who was just being loaded may die noisily
            assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
            deals += MORE
            file = small_runs.write_tournament(tmp_path, **QUICK, deals=deals)
    small_runs.run_tournament(file, out)
    undisturbed = tmp_path / "undisturbed"
    small_runs.run_tournament(
        small_runs.write_tournament(tmp_path, **(QUICK | {"chunk": 32}), deals=deals), undisturbed
    )
    check_undisturbed(file, out, undisturbed)
    again = (out / "log.txt").read_text().count("is retried")
    with capsys.disabled():
        listed = ", ".join(f"{number} of a {kind}" for kind, number in hits.most_common())
        print(f"\n{hits.total()} kills ({listed}) in {sessions} sessions, {deals} deals; ", end="")
        print(f"{again} chunks were played again")


def shared(pids: list[int]) -> set[str]:
    """The files of shared memory that these processes have mapped."""
    found: set[str] = set()
    for pid in pids:
        with suppress(OSError):  # it has just ended
            mapped = Path(f"/proc/{pid}/maps").read_text()
            found.update(re.findall(r"/dev/shm/\S+", mapped))  # noqa: S108 (as it is shown)
    return found


@pytest.mark.slow
def test_a_group_that_is_killed_leaves_nothing_in_shared_memory(tmp_path: Path) -> None:
    """Python's own tracker, which would clear up, is killed with the others."""
    file, out = small_runs.write_tournament(tmp_path, deals=100), tmp_path / "run"
    with check_no_leftovers(TIMEOUT), small_runs.start_tournament(file, out) as process:
        small_runs.wait_for(lambda: small_runs.is_playing(process.pid), process)
        used = shared(process_tree([process.pid]))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not [name for name in used if Path(name).exists()]
