"""Walls for tests, as this machine has them."""

from dataclasses import replace

import pytest

from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import Sandbox, chosen
from tests.suite.tools import no_sandbox


def counted(limits: Limits, *, stopped: bool = False) -> Sandbox:
    """Walls with control groups."""
    sandbox = walls(limits, stopped=stopped)
    if sandbox.cgroups is None:
        pytest.skip("control groups cannot be made here")
    return sandbox


def uncounted(limits: Limits, *, stopped: bool = False) -> Sandbox:
    """Walls without them."""
    sandbox = walls(limits, stopped=stopped)
    assert sandbox.machine
    return replace(sandbox, cgroups=None, machine=replace(sandbox.machine, counted=False))


def walls(limits: Limits, *, stopped: bool) -> Sandbox:
    """Walls of any kind."""
    try:
        return chosen(Level.STANDARD, limits, stopped=stopped)
    except NoWalls as why:
        no_sandbox(why)
