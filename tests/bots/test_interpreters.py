"""How scripts and programs are run."""

import shutil
import sys
from pathlib import Path

import pytest

from arena.bots.interpreters import ENDINGS, PACKAGES, argv_of, program, shebang
from arena.errors import BadBot

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
