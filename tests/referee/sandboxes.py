"""Walls for tests, as this machine has them."""

from dataclasses import replace

import pytest

from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from tests.suite.tools import no_sandbox


def counted(limits: ResourceLimits, *, stopped: bool = False) -> Sandbox:
    """Walls with control groups."""
    sandbox = walls(limits, stopped=stopped)
    if sandbox.cgroups is None:
        pytest.skip("control groups cannot be made here")
    return sandbox


def uncounted(limits: ResourceLimits, *, stopped: bool = False) -> Sandbox:
    """Walls without them."""
    sandbox = walls(limits, stopped=stopped)
    assert sandbox.support
    return replace(sandbox, cgroups=None, support=replace(sandbox.support, counts_memory=False))


def walls(limits: ResourceLimits, *, stopped: bool) -> Sandbox:
    """Walls of any kind."""
    try:
        return select_sandbox(SandboxLevel.STANDARD, limits, stops_idle_bots=stopped)
    except SandboxUnavailable as why:
        no_sandbox(why)
