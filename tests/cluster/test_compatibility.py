"""What a worker has is found out before it is given anything, and said in a sentence."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.bots.build import BuildSettings
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import SandboxLevel
from arena.bots.sandbox.sandbox import probe_host
from arena.cluster.bot_cache import BotCache
from arena.cluster.compatibility import (
    EDITION,
    PACKAGE,
    collect_worker_info,
    find_info_mismatch,
    find_version_mismatch,
    installed_version,
)
from arena.cluster.messages import Requirements, WorkerInfo
from tests.bots.toolchains import make_rustup_stub, make_toolchain
from tests.cli.invoke import invoke_arena
from tests.cluster import bots

HERE = platform.python_version()


def test_programs_that_are_there_and_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "perl").write_text("#!/bin/sh\n")
    (tmp_path / "perl").chmod(0o755)
    (tmp_path / "node").write_text("it cannot be run")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = collect_worker_info(Requirements(("perl", "node", "zork"), "none"))
    assert found == WorkerInfo(
        EDITION, {"node": "run 'apt install nodejs'", "zork": "run 'apt install zork'"}, ""
    )
    assert collect_worker_info(Requirements((), "none")).missing == {}
    assert find_info_mismatch(found) == "", "what it has not is no reason to leave it out"


def test_a_program_without_a_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_rustup_stub(tmp_path / "home")
    monkeypatch.setenv("PATH", str(tmp_path / "home"))
    why = "cargo has no toolchain: run 'rustup default stable'"
    assert collect_worker_info(Requirements(("cargo",), "none")).missing == {"cargo": why}
    make_toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{tmp_path}/home:{tmp_path}/system")
    assert collect_worker_info(Requirements(("cargo",), "none")).missing == {}


def test_cached_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = bots.write_script(tmp_path / "fox.py")
    (entry,), bundles = bots.bundle_bots(place)
    wanted = Requirements((), "none", ("0" * 64, entry.digest))
    assert collect_worker_info(wanted).cached == ()
    with BotCache().hold_bot(entry, BuildSettings(), bundles):
        assert collect_worker_info(wanted).cached == (entry.digest,)


def test_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert set(collect_worker_info(Requirements(("sh", "zork"), "none")).missing) == {"zork"}


def test_a_sandbox_that_is_available() -> None:
    try:
        probe_host()
        why = ""
    except SandboxUnavailable as error:
        why = str(error)
    assert collect_worker_info(Requirements((), "standard")).sandbox_problem == why


NO_SANDBOX_SCRIPT = """
import sys
import msgspec
from arena.cluster.compatibility import collect_worker_info
from arena.cluster.messages import Requirements

found = [collect_worker_info(Requirements((), level)) for level in sys.argv[1:]]
sys.stdout.buffer.write(msgspec.json.encode(found))
"""


def test_a_sandbox_that_is_not_available(tmp_path: Path) -> None:
    """Asked in another process, since the sandbox is only probed once."""
    reply = subprocess.check_output(
        [sys.executable, "-c", NO_SANDBOX_SCRIPT, *SandboxLevel],
        env={**os.environ, "PATH": str(tmp_path)},
    )
    found = dict(zip(SandboxLevel, msgspec.json.decode(reply, type=list[WorkerInfo]), strict=True))
    for level in (SandboxLevel.STANDARD, SandboxLevel.STRICT):
        assert "needs bubblewrap: run 'apt install bubblewrap'" in found[level].sandbox_problem
        assert find_info_mismatch(found[level]).startswith(
            "it has no sandbox: the sandbox needs bubblewrap"
        )
    assert found[SandboxLevel.NONE].sandbox_problem == ""
    assert {one.edition for one in found.values()} == {EDITION}, "wherever it is loaded"


@pytest.mark.parametrize(
    ("python", "package", "text"),
    [
        (HERE, installed_version(), ""),
        (HERE.rpartition(".")[0] + ".99", installed_version(), ""),
        ("3.8.1", installed_version(), f"it runs Python 3.8.1, and the run was begun with {HERE}"),
        ("3.1", None, "it runs Python 3.1, "),
        (HERE, None, f"it does not have the package; run 'pip install {PACKAGE}[dask]' there"),
        (
            HERE,
            "0.0.1",
            f"it has {PACKAGE} 0.0.1, and this is {installed_version()}; install the same",
        ),
        ("", None, "it runs Python , and"),
    ],
)
def test_version_mismatches(python: str, package: str | None, text: str) -> None:
    reply = find_version_mismatch(python, package)
    assert reply.startswith(text)
    assert bool(reply) == bool(text)
    assert "\n" not in reply


def test_another_program() -> None:
    reply = find_info_mismatch(WorkerInfo("protocol 1, program 123", {}, ""))
    assert reply.startswith(
        f"it has protocol 1, program 123, and this is {EDITION}; install the sa"
    )


def test_the_release_is_that_of_the_package() -> None:
    assert installed_version() in invoke_arena("--version").stdout
