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
"""Seconds in which a program that does nothing must end in a scope."""


def enter_systemd_scope(arguments: Sequence[str]) -> None:
    """Replace this process by the same command in a scope of its own, if it lacks usable cgroups.

    The process id stays the same, and with it signals and the exit status.
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
    from arena.bots.sandbox.sandbox import usable_cgroups  # noqa: PLC0415 (it is slow to import)

    if usable_cgroups():
        return
    env = {**os.environ, SCOPE_VARIABLE: "entered", "XDG_RUNTIME_DIR": runtime}
    if succeeds([systemd_run, *SYSTEMD_RUN_OPTIONS, "true"], env):
        os.execve(  # noqa: S606 (a shell is not needed)
            systemd_run,
            [systemd_run, *SYSTEMD_RUN_OPTIONS, sys.executable, *sys.orig_argv[1:]],
            env,
        )


def succeeds(argv: list[str], env: dict[str, str]) -> bool:
    """Whether a command ends in time with status 0; its output is dropped."""
    try:
        result = subprocess.run(  # noqa: S603 (the command is ours)
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0
