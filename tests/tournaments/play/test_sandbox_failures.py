"""A sandbox that cannot be created voids the blocks in play, and no bot is charged with it."""

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from arena.bots.sandbox.limits import ResourceLimits
from tests.bots.leftover_processes import check_no_leftovers
from tests.referee.sandboxes import make_sandbox
from tests.tournaments import small_runs
from tests.tournaments.small_runs import ONE_GAME, TIMEOUT

pytestmark = pytest.mark.slow

KEYS: dict[str, Any] = {**ONE_GAME, "sandbox": "standard"}

BREAKS = """#!/bin/sh
case "$*" in *--args*)
    echo >> {count}
    number=$(wc -l < {count})
    if [ "$number" -gt {after} ] && [ "$number" -le {until} ]; then
        echo 'bwrap: no more namespaces' >&2
        exit 1
    fi;;
esac
exec {bubblewrap} "$@"
"""

ALL = 1_000_000
READY = 3
"""Bots that are started to see whether they do, before anything is played."""


@pytest.fixture
def breaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes bubblewrap fail from the start after this many up to another."""
    make_sandbox(ResourceLimits(), stopped=False)
    bubblewrap = shutil.which("bwrap")

    def breaks(after: int, until: int) -> None:
        (tmp_path / "bin").mkdir()
        script = tmp_path / "bin" / "bwrap"
        count = tmp_path / "count"
        count.touch()
        script.write_text(
            BREAKS.format(count=count, after=after, until=until, bubblewrap=bubblewrap)
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")

    return breaks


@pytest.mark.slow
def test_walls_that_fail_now_and_then(tmp_path: Path, breaking: Any) -> None:
    """The block is played again, and comes out as if nothing had been."""
    undisturbed = tmp_path / "undisturbed"
    file, out = small_runs.write_tournament(tmp_path, **KEYS), tmp_path / "run"
    small_runs.invoke_tournament(file, undisturbed)
    breaking(READY + 1, READY + 2)
    small_runs.run_tournament(file, out)
    small_runs.check_whole(file, out)
    assert small_runs.run_contents(out) == small_runs.run_contents(undisturbed)
    log = (out / "log.txt").read_text()
    assert "cannot be started: the sandbox cannot be set up" in log
    assert "is retried" in log


@pytest.mark.slow
def test_walls_that_fail_from_now_on(tmp_path: Path, breaking: Any) -> None:
    """After some tries it is left for a person to look at, with what is known about it."""
    file, out = small_runs.write_tournament(tmp_path, **KEYS), tmp_path / "run"
    breaking(READY, ALL)
    with check_no_leftovers(TIMEOUT):
        ended = small_runs.run_command("run", file, "--out", out, "--workers", "1")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.count("Not played: a chunk of stick-em, 3 seats: ") == 1
    assert "bwrap: no more namespaces" in ended.stdout
    assert "To go on: arena run " in ended.stdout
    assert small_runs.run_contents(out) == {}
