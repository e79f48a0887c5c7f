"""Restart commands that run bots in a systemd scope, so that ordinary users get cgroups."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SCOPE_VARIABLE = "STICHKAMPF_SCOPE"
"""`off` keeps a command where it was started; `entered` marks one that was started again."""

BOT_COMMANDS = frozenset(
    {"check", "compare", "demo", "doctor", "ladder", "play", "replay", "run", "serve", "submit"}
)
"""Commands that run bots, or report how they are run."""

SYSTEMD_RUN_OPTIONS = ("--user", "--scope", "--quiet", "--collect", "-p", "Delegate=yes", "--")
TRIAL_SECONDS = 10
"""Seconds in which a program that does nothing has to be done in a scope."""


def enter_scope(arguments: Sequence[str]) -> None:
    """Replace this process by the same command in a scope of its own, if that gains cgroups.

    The process keeps its number, so that signals and its exit status stay what they are.
    """
    if (
        os.geteuid() == 0
        or SCOPE_VARIABLE in os.environ
        or not BOT_COMMANDS.intersection(arguments[:1])
    ):
        return
    systemd_run = shutil.which("systemd-run")
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    if not systemd_run or not Path(runtime, "systemd").is_dir():
        return
    from arena.bots.sandbox.sandbox import usable_cgroups  # noqa: PLC0415 (it takes long to load)

    if usable_cgroups():
        return
    env = {**os.environ, SCOPE_VARIABLE: "entered", "XDG_RUNTIME_DIR": runtime}
    if succeeds([systemd_run, *SYSTEMD_RUN_OPTIONS, "true"], env):
        os.execve(  # noqa: S606 (no shell is what is wanted)
            systemd_run,
            [systemd_run, *SYSTEMD_RUN_OPTIONS, sys.executable, *sys.orig_argv[1:]],
            env,
        )


def succeeds(argv: list[str], env: dict[str, str]) -> bool:
    """Whether a command ends well in time; what it prints is not shown."""
    try:
        done = subprocess.run(  # noqa: S603 (it is our own)
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
