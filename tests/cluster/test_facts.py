"""What a worker has is found out before it is given anything, and said in a sentence."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.bots.build import Workshop
from arena.bots.sandbox.level import Level
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import tried
from arena.cluster.facts import EDITION, PACKAGE, gather, outdated, release, unlike
from arena.cluster.messages import Facts, Needs
from arena.cluster.shelf import Shelf
from tests.bots.toolchains import stub, toolchain
from tests.cli.runs import asked
from tests.cluster import bots

HERE = platform.python_version()


def test_programs_that_are_there_and_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "perl").write_text("#!/bin/sh\n")
    (tmp_path / "perl").chmod(0o755)
    (tmp_path / "node").write_text("it cannot be run")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = gather(Needs(("perl", "node", "zork"), "none"))
    assert found == Facts(
        EDITION, {"node": "run 'apt install nodejs'", "zork": "run 'apt install zork'"}, ""
    )
    assert gather(Needs((), "none")).missing == {}
    assert unlike(found) == "", "what it has not is no reason to leave it out"


def test_a_program_without_a_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path / "home")
    monkeypatch.setenv("PATH", str(tmp_path / "home"))
    why = "cargo has no toolchain: run 'rustup default stable'"
    assert gather(Needs(("cargo",), "none")).missing == {"cargo": why}
    toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{tmp_path}/home:{tmp_path}/system")
    assert gather(Needs(("cargo",), "none")).missing == {}


def test_bots_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = bots.script(tmp_path / "fox.py")
    (entry,), bundles = bots.sent(place)
    wanted = Needs((), "none", ("0" * 64, entry.digest))
    assert gather(wanted).there == ()
    with Shelf().bot(entry, Workshop(), bundles):
        assert gather(wanted).there == (entry.digest,)


def test_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert set(gather(Needs(("sh", "zork"), "none")).missing) == {"zork"}


def test_walls_that_can_be_had() -> None:
    try:
        tried()
        why = ""
    except NoWalls as error:
        why = str(error)
    assert gather(Needs((), "standard")).walls == why


NO_WALLS = """
import sys
import msgspec
from arena.cluster.facts import gather
from arena.cluster.messages import Needs

sys.stdout.buffer.write(msgspec.json.encode([gather(Needs((), level)) for level in sys.argv[1:]]))
"""


def test_walls_that_cannot_be_had(tmp_path: Path) -> None:
    """Asked in another process, since what walls there are is looked up once."""
    told = subprocess.check_output(
        [sys.executable, "-c", NO_WALLS, *Level], env={**os.environ, "PATH": str(tmp_path)}
    )
    found = dict(zip(Level, msgspec.json.decode(told, type=list[Facts]), strict=True))
    for level in (Level.STANDARD, Level.STRICT):
        assert "needs bubblewrap: run 'apt install bubblewrap'" in found[level].walls
        assert unlike(found[level]).startswith("it has no sandbox: the sandbox needs bubblewrap")
    assert found[Level.NONE].walls == ""
    assert {one.edition for one in found.values()} == {EDITION}, "wherever it is loaded"


@pytest.mark.parametrize(
    ("python", "package", "said"),
    [
        (HERE, release(), ""),
        (HERE.rpartition(".")[0] + ".99", release(), ""),
        ("3.8.1", release(), f"it runs Python 3.8.1, and the run was begun with {HERE}"),
        ("3.1", None, "it runs Python 3.1, "),
        (HERE, None, f"it does not have the package; run 'pip install {PACKAGE}[dask]' there"),
        (HERE, "0.0.1", f"it has {PACKAGE} 0.0.1, and this is {release()}; install the same"),
        ("", None, "it runs Python , and"),
    ],
)
def test_what_is_outdated(python: str, package: str | None, said: str) -> None:
    told = outdated(python, package)
    assert told.startswith(said)
    assert bool(told) == bool(said)
    assert "\n" not in told


def test_another_program() -> None:
    told = unlike(Facts("protocol 1, program 123", {}, ""))
    assert told.startswith(f"it has protocol 1, program 123, and this is {EDITION}; install the sa")


def test_the_release_is_that_of_the_package() -> None:
    assert release() in asked("--version").stdout
