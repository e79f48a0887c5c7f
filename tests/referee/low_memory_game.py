"""Plays a game in a control group with less memory than its bots may hold; prints what came of it.

python -m tests.referee.low_memory_game MIB EXCUSE BOT BOT BOT
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox import cgroups
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.errors import HarnessFailure
from arena.games.catalog import variant
from arena.protocol.messages import Limits
from arena.referee.live_game import Deal
from arena.referee.referee import Referee
from tests.referee.game_helpers import CONFIG


def enter(mib: int) -> None:
    """Move this process into a new control group that may use so much memory with its bots."""
    here = cgroups.find_cgroups(Path("/proc/self/cgroup").read_text())
    assert here
    assert here.memory
    group = Path(here.memory, f"cramped-{os.getpid()}")
    group.mkdir()
    limit = "memory.max" if here.version == 2 else "memory.limit_in_bytes"
    (group / limit).write_text(str(mib << 20))
    (group / "cgroup.procs").write_text(str(os.getpid()))


def play(mib: int, excuse: str, names: list[str]) -> str:
    """Play one game with bots that may hold 256 MiB each; the faults, or why it was not played."""
    enter(mib)
    sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits(memory=256))
    assert sandbox.cgroups
    config = replace(
        CONFIG,
        limits=Limits(move=5.0),  # to fill 300 MiB can take more than the 0.3 s of other tests
        sandbox=sandbox,
        games_at_once=1,
        allows_excuses=excuse == "excuse",
    )
    with Launcher(sandbox) as launcher:
        bots = [load_bot(Path(name)) for name in names]
        referee = Referee(variant("sticheln").game(3), bots, launcher, config)
        try:
            (played,) = referee.play([Deal(1)])
        except HarnessFailure as failure:
            return f"{type(failure).__name__}: {failure}"
    return str([(fault.seat, fault.fault, fault.text) for fault in played.record.faults])


if __name__ == "__main__":
    print(play(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
