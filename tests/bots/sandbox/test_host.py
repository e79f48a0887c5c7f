"""What a bot sees beside its folder: what runs it, and nothing that is somebody's."""

import json
import os
import pwd
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox.host import (
    PYTHON_PARTS,
    install_prefix,
    python_paths,
    readable_parent,
    required_paths,
)
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import create_sandbox, requested_sandbox
from tests.bots.sandbox.test_extra_mounts import line_of

SYSTEM = ("/usr",)


def tool(prefix: Path, folder: str = "bin") -> Path:
    """A program that somebody has installed."""
    place = prefix / folder
    place.mkdir(parents=True)
    file = place / "tool"
    file.write_text('#!/bin/sh\nexec "$@"\n')
    file.chmod(0o755)
    return file


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return place


@pytest.mark.parametrize("folder", ["bin", "sbin"])
def test_a_program_comes_with_its_libraries(tmp_path: Path, folder: str) -> None:
    prefix = tmp_path / "node"
    (prefix / "lib").mkdir(parents=True)
    assert install_prefix(tool(prefix, folder)) == prefix
    assert required_paths((str(prefix / folder / "tool"),), SYSTEM) == (str(prefix),)


@pytest.mark.parametrize(
    "kept", ["run.db", "ladder.yaml", "nightly/run.db", "a/b/ladder.yaml", "a/b/c/run.db"]
)
def test_a_run_or_a_ladder_beside_it(tmp_path: Path, kept: str) -> None:
    prefix = tmp_path / "stichkampf"
    program = tool(prefix)
    (prefix / kept).parent.mkdir(parents=True, exist_ok=True)
    (prefix / kept).touch()
    assert install_prefix(program) == program


@pytest.mark.parametrize(
    "prefix", ["", ".local", ".cache/stichkampf", ".cache/stichkampf/builds/abc", "../home/../"]
)
def test_programs_in_a_home_without_a_prefix(home: Path, prefix: str) -> None:
    program = tool(Path(os.path.normpath(home / prefix)))
    assert install_prefix(program) == program


def test_install_prefixes_in_a_home(home: Path) -> None:
    prefix = home / ".rustup" / "toolchains" / "stable"
    assert install_prefix(tool(prefix)) == prefix


def test_tools_in_the_home_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "people" / "eve"
    eve = pwd.struct_passwd(("eve", "x", 1001, 1001, "", str(place), "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwall", lambda: [eve])
    for prefix in (place, place.parent, place / ".local"):
        program = tool(prefix)
        assert install_prefix(program) == program


def test_a_bot_in_a_folder_of_programs(tmp_path: Path) -> None:
    """Its neighbours are none of its libraries."""
    program = tool(tmp_path / "bots")
    assert required_paths((str(program),), SYSTEM, program.parent) == ()
    assert required_paths((str(program),), SYSTEM, program) == ()


def test_only_the_files_of_python_are_mounted() -> None:
    places = python_paths()
    assert not {Path(sys.prefix), Path(sys.base_prefix)} & places
    for top in (sys.prefix, sys.base_prefix):
        assert {Path(top, "bin"), Path(top, "lib")} <= places


def test_which_folders_bots_can_read(tmp_path: Path) -> None:
    assert readable_parent(tmp_path) is None
    assert readable_parent(Path(sys.prefix, "runs", "friday")) is None
    assert readable_parent(Path(sys.prefix, "lib", "runs")) in {
        Path(sys.prefix, "lib"),
        Path("/usr"),
    }
    assert readable_parent(Path("/usr/src/app/runs")) == Path("/usr")
    (tmp_path / "link").symlink_to("/usr/src")
    assert readable_parent(tmp_path / "link" / "runs") == Path("/usr")


LOOK = """
import json, os, sys
import arena, msgspec, numpy
print(json.dumps([sorted(os.listdir(sys.prefix)), os.path.exists(sys.argv[1])]))
"""


@pytest.mark.slow
@pytest.mark.needs("sandbox")
def test_python_runs_in_the_sandbox(tmp_path: Path, home: Path) -> None:
    """With what is installed in it, but without anything else that lies beside it."""
    script = tmp_path / "look.py"
    script.write_text(LOOK)
    bot = load_bot(script)
    bot = replace(bot, argv=(*bot.argv, str(home)))
    with Launcher(
        create_sandbox(requested_sandbox(SandboxLevel.STANDARD, ResourceLimits()))
    ) as launcher:
        process = BotProcess(bot, launcher)
        there, sees_home = json.loads(line_of(process))
        process.end(0)
        process.close()
    assert {"bin", "lib"} <= set(there) <= set(PYTHON_PARTS)
    assert not sees_home
