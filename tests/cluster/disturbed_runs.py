"""Trials: a small tournament on the cluster of a lab, disturbed on the way, and on one machine."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from arena.cluster.backend import Cluster
from arena.tournaments.config.scheduler_address import DEFAULT_REPLAY_SHARE, SchedulerAddress
from arena.tournaments.config.tournament import load_tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.dispatcher import BotFiles, Progress
from arena.tournaments.play.logging_setup import log_to_file
from arena.tournaments.play.resume import open_run
from arena.tournaments.play.run import RunResult, TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.cli.invoke import invoke_arena
from tests.cluster import bots
from tests.cluster.dask_cluster import Lab, Worker
from tests.tournaments import small_runs

PAUSE = 0.5
"""Seconds that each small game takes at least, so that runs are not over before a test acts."""

SIZES: dict[str, dict[str, Any]] = {
    "small": {
        **small_runs.ONE_GAME_A_BLOCK,
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


def play_undisturbed(folder: Path, size: str) -> None:
    """Write the tournament, and play it on this machine."""
    slow = bots.INNOCENT_BOT.replace(',"games":1000', "")
    assert slow != bots.INNOCENT_BOT
    bots.write_script(folder / "slow.py", f"import time\n\ntime.sleep({PAUSE})\n{slow}")
    file = small_runs.write_tournament(folder, **SIZES[size])
    done = invoke_arena("run", file, "--out", folder / "run", "--workers", 1)
    assert done.exit_code == 0, (done.stderr, done.exception)


def play_disturbed(
    lab: Lab,
    file: Path,
    out: Path,
    *disturb: Disturb,
    silence: float = 90.0,
    hope: float = 3.0,
    back: Worker | None = None,
    replay: float = DEFAULT_REPLAY_SHARE,
) -> RunResult:
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

    tournament = load_tournament(file, on=lab.head.address)
    with lab.inside("home"), ExitStack() as stack:
        at = SchedulerAddress(lab.head.address, replay_share=replay)
        backend = stack.enter_context(
            Cluster(at, tournament.referee_config, silence_timeout=silence, unplayable_timeout=hope)
        )
        opened = open_run(tournament, out)
        kept = stack.enter_context(opened.run)
        stack.enter_context(log_to_file(out / "log.txt"))
        backend.check_bots(BotFiles(tournament.bots, tournament.paths).bot_paths)
        kept.begin_session("code", backend.cores, tournament.referee_config.sandbox.level)
        plan = Plan(tournament, kept.header.seed)
        ended = TournamentSession(plan, kept, backend, StopRequest(), watch).play()
        if back:
            (fallen,) = (one for one in backend.pool.workers.values() if one.name == back.name)
            assert fallen.is_suspended
            if lab.namespaces:
                back.heal()
            back.go_on()
            lab.wait_until(
                lambda: not any(backend.wait(0.2)) and not fallen.is_suspended, "it answers"
            )
    assert not due, "it was over before everything was tried"
    return ended


def read_log(out: Path) -> str:
    """Read the log of a run."""
    return (out / "log.txt").read_text() if (out / "log.txt").exists() else ""
