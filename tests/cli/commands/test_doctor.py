"""`arena doctor` reports the features of a machine, and how to install what is missing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.interpreters import VERSION_OPTIONS, find_installed
from arena.bots.machine_diagnosis import TOOLS
from tests.bots.toolchains import make_rustup_stub, make_toolchain, write_program
from tests.conftest import RunArena
from tests.hostile.unprivileged_user import command_as_user
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

LAYERS = [
    "bubblewrap",
    "namespaces",
    "own user",
    "rights",
    "system calls",
    "memory, processes",
    "bots that wait",
    "Landlock",
]


@pytest.mark.parametrize("columns", [50, soak_only(80), soak_only(120)])
def test_text_output(run_arena: RunArena, columns: int) -> None:
    done = run_arena("doctor", columns=columns)
    assert done.stderr == ""
    assert all(len(line) <= columns for line in done.stdout.splitlines())
    said = " ".join(done.stdout.split())
    assert all(layer.split()[0] in said for layer in LAYERS)
    assert f"standard {'can' if done.returncode == 0 else 'cannot'} be had" in said
    assert "GiB free" in said


def test_json_output(run_arena: RunArena) -> None:
    done = run_arena("doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["standard"] else 1)
    assert [layer["name"] for layer in found["layers"]] == LAYERS
    assert [tool["name"] for tool in found["tools"]] == list(TOOLS)
    assert all(
        tool["path"] == find_installed(tool["name"], thorough=True) for tool in found["tools"]
    )
    assert found["facts"]["bubblewrap"] == shutil.which("bwrap")
    assert found["python"].startswith("3.")
    assert 1 <= found["cores"] <= found["of_cores"]


def test_a_machine_without_tools(run_arena: RunArena, tmp_path: Path) -> None:
    done = run_arena("doctor", PATH=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "not" / "there"))
    assert (done.returncode, done.stderr) == (1, "")
    assert "standard cannot be had\nstrict cannot be had\n" in done.stdout
    assert "To get the sandbox, as root:\n  apt install bubblewrap\n" in done.stdout
    assert "cargo  run 'apt install cargo'" in done.stdout
    assert str(tmp_path / "not" / "there" / "stichkampf") in "".join(done.stdout.split())


def test_tools_that_do_not_run(run_arena: RunArena, tmp_path: Path) -> None:
    make_rustup_stub(tmp_path / "home")
    node = write_program(tmp_path / "home" / "node", "#!/bin/sh\nexit 1\n")
    done = run_arena("doctor", columns=120, PATH=str(tmp_path / "home"))
    told = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "cargo cargo has no toolchain: run 'rustup default stable'" in told
    assert f"node {node} does not run: run 'apt install nodejs'" in " ".join(told)
    assert "tools none of those that bots are built by" in told
    cargo = make_toolchain(tmp_path / "system")
    path = f"{tmp_path}/home:{tmp_path}/system"
    found = json.loads(run_arena("doctor", "--json", PATH=path).stdout)["tools"]
    assert {tool["name"]: tool["path"] for tool in found if tool["path"]} == {"cargo": str(cargo)}
    assert set(TOOLS) <= set(VERSION_OPTIONS), "all of them are tried"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_as_an_ordinary_user() -> None:
    home = Path("/var/tmp") / f"stichkampf-doctor-{os.getpid()}"  # noqa: S108 (open to others)
    try:
        done = subprocess.run(
            command_as_user([sys.executable, "-m", "arena", "doctor", "--json"], home),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(home)},
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["standard"] else 1)
    assert found["facts"]["root"] is False
    if found["standard"]:
        assert "user" in found["facts"]["inside"]["namespaces"]
    if not found["strict"]:
        assert found["remedies"]
