"""What a bot finds in its sandbox: copies of its files that are its own, and a silent /proc."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox import extra_mounts
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import MAX_FILES_MIB, select_sandbox
from arena.errors import BadBot
from tests.bots.process_output import read_output

LOOK = """#!/usr/bin/env python3
import json, os, sys
found = {}
for folder, _, names in os.walk("/bot"):
    for name in names:
        path = os.path.join(folder, name)
        status = os.lstat(path)
        link = os.readlink(path) if os.path.islink(path) else None
        found[path] = [status.st_mode, status.st_size, status.st_mtime_ns, status.st_dev, link]
print(json.dumps(found), flush=True)
sys.stdin.read()
"""


sandboxed = pytest.mark.needs("sandbox")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder with files, folders, links and a program."""
    folder = tmp_path / "bot"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "bot.yaml").write_text("name: looks\nrun: [./look.py]\n")
    (folder / "look.py").write_text(LOOK)
    (folder / "look.py").chmod(0o755)
    (folder / "data" / "deep" / "table").write_bytes(b"x" * 10_000)
    (folder / "link").symlink_to("data/deep/table")
    os.utime(folder / "data" / "deep" / "table", ns=(5 * 10**18, 10**18 + 7))
    folder.chmod(0o755)
    return folder


def looked(bot: Path) -> list[dict[str, Any]]:
    """What two processes of a bot see of its files at the same time."""
    sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    with Launcher(sandbox) as launcher:
        both = [BotProcess(load_bot(bot), launcher) for _ in range(2)]
        found = [json.loads(line_of(process)) for process in both]
        for process in both:
            process.end(0)
            process.close()
    return found


def line_of(process: BotProcess) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        more = read_output(process)
        assert more, "it has ended"
        text += more
    return text


@sandboxed
def test_each_process_has_files_of_its_own(bot: Path) -> None:
    one, other = looked(bot)
    assert one.keys() == other.keys()
    assert not {status[3] for status in one.values()} & {status[3] for status in other.values()}
    names = ("bot.yaml", "look.py", "link", "data/deep/table")
    assert set(one) == {f"/bot/{name}" for name in names}
    mode, size, changed, *_ = one["/bot/data/deep/table"]
    assert (mode & 0o777, size, changed) == (0o644, 10_000, 10**18 + 7)
    assert one["/bot/look.py"][0] & 0o777 == 0o755
    assert one["/bot/link"][4] == "data/deep/table"


@pytest.mark.slow
@sandboxed
def test_too_many_files_are_refused(bot: Path) -> None:
    with (bot / "large").open("wb") as file:
        file.truncate((MAX_FILES_MIB + 1) << 20)
    sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    with Launcher(sandbox) as launcher, pytest.raises(BadBot, match="remove what it does not need"):
        BotProcess(load_bot(bot), launcher)


def test_the_size_of_a_copy(bot: Path) -> None:
    files = 3 * 2 * extra_mounts.PAGE + extra_mounts.PAGE + 3 * extra_mounts.PAGE
    assert files <= extra_mounts.copy_size(str(bot)) <= files + 12 * extra_mounts.PAGE


def test_a_silent_machine() -> None:
    stat = extra_mounts.idle_stat().decode().splitlines()
    assert sum(line.startswith("cpu") for line in stat) == 1 + (os.cpu_count() or 0)
    assert "procs_running 1" in stat
    assert b"MemTotal: " in extra_mounts.idle_meminfo()
