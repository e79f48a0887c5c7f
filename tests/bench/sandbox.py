"""What the sandbox costs: the start of a bot, and each decision, compared with none."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from tests.bench.case import bot_of
from tests.bench.cost import Cost, least, total
from tests.bench.programs import Programs
from tests.bench.referee import MANY, PLAIN, SLICES, TURNS, C
from tests.bench.runner import Runner
from tests.bench.sheet import sheet

STARTS = 60
PAUSE = 0.0001


def start(bot: Bot, launcher: Launcher) -> float:
    """Milliseconds from a launch to the bot's first line."""
    begun = time.perf_counter()
    process = BotProcess(bot, launcher)
    process.write(b'{"type":"hello","protocol":1,"line":65536,"games":64}\n')
    while True:
        try:
            said = os.read(process.stdout, 4096)
            break
        except BlockingIOError:
            time.sleep(PAUSE)
    spent = (time.perf_counter() - begun) * 1000
    if b"ready" not in said:
        raise RuntimeError("a bot of the benchmark does not start")
    process.end(0)
    launcher.wait_for_exit([process.pid], 10)
    process.close()
    return spent


def starts(bot: Bot, boxes: dict[str, Sandbox]) -> dict[str, list[float]]:
    """How long a bot takes to start, in each sandbox in turn."""
    with ExitStack() as stack:
        launchers = {name: stack.enter_context(Launcher(box)) for name, box in boxes.items()}
        found: dict[str, list[float]] = {name: [] for name in boxes}
        for _ in range(STARTS):
            for name, launcher in launchers.items():
                found[name].append(start(bot, launcher))
    return found


def decisions(argv: list[str], games: int) -> Iterator[tuple[str, list[Cost]]]:
    """What decisions cost without and with a sandbox, slices in turn."""
    core = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        runners = {
            kind: stack.enter_context(Runner(core, kind, argv, games))
            for kind in ("referee", "sandboxed")
        }
        for _ in range(TURNS):
            for runner in runners.values():
                runner.slice()
        yield from ((kind, runner.costs) for kind, runner in runners.items())


def main() -> None:
    console = Console()
    if not shutil.which("bwrap"):
        console.print("There is no bubblewrap: the costs of the sandbox are left out.\n")
        return
    boxes = {
        "none": select_sandbox(SandboxLevel.NONE, ResourceLimits()),
        "standard": select_sandbox(SandboxLevel.STANDARD, ResourceLimits()),
    }
    counting = "cgroups" if boxes["standard"].cgroups else "rlimits"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        programs = Programs(Path(folder))
        bots = {PLAIN: programs.plain_bot}
        if programs.compiler:
            bots = {C: programs.c_bot, **bots}
        table = sheet("start, ms", "none", f"standard, {counting}", "more")
        for name, argv in bots.items():
            found = starts(bot_of(argv(MANY)), boxes)
            bare, sandboxed = (least(found[level]) for level in boxes)
            table.add_row(name, f"{bare:.1f}", f"{sandboxed:.1f}", f"{sandboxed - bare:.1f}")
        console.print(table)
        table = sheet("\na decision, µs of CPU", "none", "standard", "ratio")
        for name, argv in bots.items():
            for at_once in (1, MANY):
                slices = SLICES[name, at_once]
                bare, sandboxed = (total(costs) for _, costs in decisions(argv(at_once), slices))
                label = f"{name}, {at_once} at once"
                table.add_row(label, f"{bare:.1f}", f"{sandboxed:.1f}", f"{sandboxed / bare:.3f}")
        console.print(table)
        console.print()


if __name__ == "__main__":
    main()
