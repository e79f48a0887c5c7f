"""Trials: a small tournament on the cluster of a lab, disturbed on the way, and on one machine."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

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
from tests.cluster.lab import Lab, Worker
from tests.tournaments import small

CHANGES = {"seats": 3, "deals": 6, "chunk": 1}
"""24 blocks of 3 games, each of them a task of its own."""

Disturb = Callable[[], None]


def play(folder: Path) -> None:
    """Write the tournament, and play it on this machine."""
    small.played(small.write(folder, **CHANGES), folder / "run")


def disturbed(
    lab: Lab,
    file: Path,
    out: Path,
    disturb: dict[int, Disturb],
    *,
    silence: float = 90.0,
    back: Worker | None = None,
    replay: float = REPLAY,
) -> Ended:
    """Play it on the cluster of a lab; each disturbance comes when so many blocks are kept.

    A worker that fell silent goes on when all is played, and has to be taken in again.
    """
    due = sorted(disturb.items())

    def watch(progress: Progress) -> None:
        while due and progress.blocks >= due[0][0]:
            due.pop(0)[1]()

    tournament = load(file, on=lab.head.address)
    with lab.inside("home"), ExitStack() as stack:
        at = Address(lab.head.address, replay=replay)
        backend = stack.enter_context(Cluster(at, tournament.terms, silence=silence, hope=3.0))
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
    """What the run has logged."""
    return (out / "log.txt").read_text()
