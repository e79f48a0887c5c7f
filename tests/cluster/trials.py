"""Trials: a small tournament on the cluster of a lab, disturbed on the way, and on one machine."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from arena.cluster.cluster import Cluster
from arena.tournaments.address import REPLAY, Address
from arena.tournaments.config import load
from arena.tournaments.halt import Halt
from arena.tournaments.journal import journal
from arena.tournaments.labour import Progress
from arena.tournaments.opening import open_run
from arena.tournaments.plan import Plan
from arena.tournaments.run import Ended, Sitting
from arena.tournaments.sources import Sources
from tests.cli.runs import asked
from tests.cluster import bots
from tests.cluster.lab import Lab, Worker
from tests.tournaments import small

PAUSE = 0.5
"""Seconds that each small game takes at least, so that runs are not over before a test acts."""

SIZES: dict[str, dict[str, Any]] = {
    "small": {
        **small.BRIEF,
        "seats": 3,
        "bots": ["ladder:ducker", "ladder:lowest", "slow.py"],
        "deals": 8,
        "chunk": 1,
        "sandbox": "none",
    },
    "full": {"seats": 3, "deals": 9, "chunk": 1},
}
"""8 blocks of one game without a sandbox, and 36 blocks of 3 games; each block is a task.

Two workers hold fewer than 18 tasks, so a run of 36 is never over when a disturbance begins after
its first blocks, even on a slow machine.
"""

PATIENT = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "1 hour",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1 hour",
}
"""Dask keeps silent workers, since only the coordinator is to notice them, however slow it is."""

Disturb = tuple[int | Callable[[], bool], Callable[[], object]]
"""What happens to a run, and when: once so many blocks are kept, or something is true."""


def play(folder: Path, size: str) -> None:
    """Write the tournament, and play it on this machine."""
    slow = bots.PLAYER.replace(',"games":1000', "")
    assert slow != bots.PLAYER
    bots.script(folder / "slow.py", f"import time\n\ntime.sleep({PAUSE})\n{slow}")
    file = small.write(folder, **SIZES[size])
    done = asked("run", file, "--out", folder / "run", "--workers", 1)
    assert done.exit_code == 0, (done.stderr, done.exception)


def disturbed(
    lab: Lab,
    file: Path,
    out: Path,
    *disturb: Disturb,
    silence: float = 90.0,
    hope: float = 3.0,
    back: Worker | None = None,
    replay: float = REPLAY,
) -> Ended:
    """Play it on the cluster of a lab; the disturbances come one after the other.

    A worker that fell silent goes on when all is played, and has to be taken in again.
    """
    due = list(disturb)

    def is_due(progress: Progress) -> bool:
        when = due[0][0]
        return progress.blocks >= when if isinstance(when, int) else when()

    def watch(progress: Progress) -> None:
        while due and is_due(progress):
            due.pop(0)[1]()

    tournament = load(file, on=lab.head.address)
    with lab.inside("home"), ExitStack() as stack:
        at = Address(lab.head.address, replay=replay)
        backend = stack.enter_context(Cluster(at, tournament.terms, silence=silence, hope=hope))
        opened = open_run(tournament, out)
        kept = stack.enter_context(opened.run)
        stack.enter_context(journal(out / "log.txt"))
        backend.muster(Sources(tournament.bots, tournament.paths).places)
        kept.session("code", backend.cores, tournament.terms.sandbox.level)
        plan = Plan(tournament, kept.header.seed)
        ended = Sitting(plan, kept, backend, Halt(), watch).play()
        if back:
            (fallen,) = (one for one in backend.roster.workers.values() if one.name == back.name)
            assert fallen.aside
            if lab.namespaces:
                back.heal()
            back.go_on()
            lab.wait_until(lambda: not any(backend.wait(0.2)) and not fallen.aside, "it answers")
    assert not due, "it was over before everything was tried"
    return ended


def log(out: Path) -> str:
    """What the run has logged so far."""
    return (out / "log.txt").read_text() if (out / "log.txt").exists() else ""
