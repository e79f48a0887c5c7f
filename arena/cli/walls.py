"""The options `--sandbox` and `--build-network`: the walls around bots and their builds."""

from collections.abc import Callable

import click
from rich.console import Console
from rich.text import Text

from arena.bots.build import Workshop
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.sandbox import Sandbox, chosen, no_image
from arena.bots.sandbox.system_image import System

OFF = (
    "The sandbox is off: bots can do whatever you can, read your files, use the network and leave "
    "programs running. Only run bots that you trust."
)


def sandbox_options(command: Callable[..., None]) -> Callable[..., None]:
    """Both options, as `level` and `network`."""
    for option in (
        click.option(
            "--build-network",
            "network",
            is_flag=True,
            help="Let builds that ask for it in bot.yaml use the network.",
        ),
        click.option(
            "--sandbox",
            "level",
            type=click.Choice(Level, case_sensitive=False),
            help="How strongly bots are walled in; by default the best that 'arena doctor' finds.",
        ),
    ):
        command = option(command)
    return command


def workshop(level: Level | None, *, network: bool, system: System = System.HOST) -> Workshop:
    """Where bots are built, and run by the same sandbox; if there is none that is said."""
    sandbox = chosen(level, Limits(), system=system)
    warn(sandbox)
    return Workshop(sandbox, network)


def warn(sandbox: Sandbox) -> None:
    """Say aside that bots are not walled in, and why."""
    console = Console(stderr=True, highlight=False)
    if sandbox.machine and sandbox.system is System.AUTO and (why := no_image(sandbox.machine)):
        text = f"Bots see the programs on the disk, which lets them recognise earlier deals: {why}"
        console.print(Text(text, "yellow"), soft_wrap=True)
    if sandbox.machine or sandbox.level is not Level.NONE:  # made here, or to be made elsewhere
        return
    if sandbox.missing:
        told = Text(f"Bots run without a sandbox: {sandbox.missing}", "yellow")
    else:
        told = Text(OFF, "bold red")
    console.print(told, soft_wrap=True)


def given(level: Level | None, *, network: bool) -> list[str]:
    """The options as they were typed, for a command that does the same again."""
    return [*(("--sandbox", level) if level else ()), *(["--build-network"] if network else ())]


def in_force(sandbox: Sandbox) -> str:
    """A sandbox and what holds its limits, in some words."""
    if not sandbox.machine:
        return str(sandbox.level)
    limits, groups = sandbox.limits, sandbox.cgroups
    by = f"cgroups, version {groups.version}" if groups else "rlimits of each process only"
    held = f"{limits.memory} MiB and {limits.processes} processes for a bot, held by {by}"
    waiting = "stopped" if sandbox.stopped else "charged"
    system = "the host's" if sandbox.copy_of is str else "in memory"
    return f"{sandbox.level}: {held}; who waits is {waiting}; the system that bots see is {system}"
