"""Sandboxes for tests, as this machine has them."""

from dataclasses import replace

import pytest

from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from tests.suite.tools import skip_without_sandbox


def sandbox_with_cgroups(limits: ResourceLimits, *, stopped: bool = False) -> Sandbox:
    """Return a sandbox with control groups."""
    sandbox = make_sandbox(limits, stopped=stopped)
    if sandbox.cgroups is None:
        pytest.skip("control groups cannot be made here")
    return sandbox


def sandbox_without_cgroups(limits: ResourceLimits, *, stopped: bool = False) -> Sandbox:
    """Return a sandbox without control groups."""
    sandbox = make_sandbox(limits, stopped=stopped)
    assert sandbox.support
    return replace(sandbox, cgroups=None, support=replace(sandbox.support, counts_memory=False))


def make_sandbox(limits: ResourceLimits, *, stopped: bool) -> Sandbox:
    """A sandbox of this machine."""
    try:
        return select_sandbox(SandboxLevel.STANDARD, limits, stops_idle_bots=stopped)
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
