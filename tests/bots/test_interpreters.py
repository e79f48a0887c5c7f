"""How scripts and programs are run."""

import shutil
import sys
from pathlib import Path

import pytest

from arena.bots.interpreters import (
    ENDINGS,
    PACKAGES,
    argv_of,
    build_path,
    installed,
    lack,
    program,
    shebang,
)
from arena.errors import BadBot
from tests.bots.toolchains import stub, toolchain, write

SH = shutil.which("sh")


def script(tmp_path: Path, name: str, first: str | bytes, mode: int = 0o644) -> Path:
    file = tmp_path / name
    file.write_bytes(first if isinstance(first, bytes) else f"{first}\n".encode())
    file.chmod(mode)
    return file


@pytest.mark.parametrize(
    ("name", "first", "argv"),
    [
        ("a.py", "print()", [sys.executable]),
        ("a.py", "#!/usr/bin/env python3", [sys.executable]),
        ("a.py", "#!/usr/bin/env -S python3 -u -X dev", [sys.executable, "-u", "-X", "dev"]),
        ("a", "#!/usr/bin/env python", [sys.executable]),
        ("a.py", "#! /bin/sh -e", ["/bin/sh", "-e"]),
        ("a.py", "#!/bin/sh\r", ["/bin/sh"]),
        ("a.sh", "echo", [SH]),
        ("a", "#!/usr/bin/env sh", [SH]),
        ("a.py", "#!", [sys.executable]),
        ("a.py", "# !/bin/sh", [sys.executable]),
        ("a.py", b"", [sys.executable]),
        ("a.py", b"\xff\xfe", [sys.executable]),
    ],
)
def test_scripts(tmp_path: Path, name: str, first: str | bytes, argv: list[str]) -> None:
    file = script(tmp_path, name, first)
    assert argv_of(file) == [*argv, str(file)]


def test_a_program(tmp_path: Path) -> None:
    file = script(tmp_path, "bot", b"\x7fELF", 0o755)
    assert argv_of(file) == [str(file)]


def test_not_executable(tmp_path: Path) -> None:
    file = script(tmp_path, "bot", "what is this")
    with pytest.raises(BadBot, match=r"^\S+ is not executable: run 'chmod \+x \S+', or give it an"):
        argv_of(file)


@pytest.mark.parametrize("first", ["#!/usr/bin/env no-such-thing", "#!/opt/no-such-thing -x"])
def test_no_such_interpreter(tmp_path: Path, first: str) -> None:
    file = script(tmp_path, "a.py", first)
    with pytest.raises(BadBot, match=r"a\.py is run by \S*no-such-thing, which is not installed"):
        argv_of(file)


@pytest.mark.parametrize("ending", sorted(set(ENDINGS) - {".py"}))
def test_missing_from_the_path(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = script(tmp_path, f"bot{ending}", "...")
    name = ENDINGS[ending]
    hint = f"; {PACKAGES[name]}" if name != "sh" else ""
    with pytest.raises(BadBot) as error:
        argv_of(file)
    said = f"{file} is run by {name}, which is not installed or not on the PATH"
    assert str(error.value) == said + hint


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "tool", "#!/bin/sh", 0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert program("tool", Path("bot.yaml")) == str(tmp_path / "tool")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match="none: No such file or directory"):
        shebang(tmp_path / "none")


def test_a_stub_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed("cargo") is None
    assert lack("cargo") == "cargo has no toolchain: run 'rustup default stable'"
    with pytest.raises(BadBot) as error:
        program("cargo", Path("bot.yaml"), "is built by")
    assert str(error.value) == (
        "bot.yaml is built by cargo; cargo has no toolchain: run 'rustup default stable'"
    )


def test_a_stub_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path / "home")
    cargo = toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{tmp_path}/home/:{tmp_path}/none:{tmp_path}/system")
    assert installed("cargo") == str(cargo)
    assert program("cargo", Path("bot.yaml")) == str(cargo)
    assert build_path() == f"{tmp_path}/none:{tmp_path}/system:{tmp_path}/home/"


def test_a_stub_that_gets_a_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server need not be restarted for it."""
    cargo = stub(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed("cargo") is None
    write(tmp_path / "rustup", "#!/bin/sh\n")
    assert installed("cargo") == str(cargo)
    assert build_path() == str(tmp_path)


def test_a_stub_downloads_nothing_and_stands_in_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '#!/bin/sh\n[ "$PWD $RUSTUP_AUTO_INSTALL $1" = "/ 0 --version" ]\n'
    cargo = stub(tmp_path, text)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert installed("cargo") == str(cargo)


def test_other_version_managers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = write(tmp_path / "shims" / "go", "#!/bin/sh\n[ $1 != version ]\n")
    monkeypatch.setenv("PATH", str(shim.parent))
    assert installed("go") is None
    assert lack("go") == f"{shim} does not run: run 'apt install golang-go'"
    write(shim, "#!/bin/sh\n[ $1 = version ]\n")
    assert installed("go") == str(shim)


def test_an_ordinary_program_is_run_only_in_a_thorough_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = write(tmp_path / "one" / "node", "#!/bin/sh\nexit 3\n")
    works = write(tmp_path / "two" / "node", "#!/bin/sh\n")
    unknown = write(tmp_path / "one" / "zork", "#!/bin/sh\nexit 3\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/one:{tmp_path}/two")
    assert installed("node") == str(broken)
    assert installed("node", thorough=True) == str(works)
    assert installed("zork", thorough=True) == str(unknown), "it may do anything if it is run"


@pytest.mark.parametrize("text", ["", "#!/no/such/interpreter\n"])
def test_a_program_that_cannot_be_started(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "node", text)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed("node", thorough=True) is None


@pytest.mark.parametrize(("path", "found"), [("", False), (":", True), (".", True)])
def test_the_current_folder(
    tmp_path: Path, path: str, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "zork", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert bool(installed("zork")) == found
