"""How scripts and programs are run."""

import shutil
import sys
from pathlib import Path

import pytest

from arena.bots.bot import builtin_bots
from arena.bots.interpreters import (
    INSTALL_HINTS,
    INTERPRETER_OF_SUFFIX,
    build_search_path,
    find_installed,
    find_program,
    read_shebang,
    repair_hint,
    required_programs,
    script_argv,
)
from arena.errors import BadBot
from tests.bots.toolchains import make_rustup_stub, make_toolchain, write_program

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
    assert script_argv(file) == [*argv, str(file)]


def test_a_program(tmp_path: Path) -> None:
    file = script(tmp_path, "bot", b"\x7fELF", 0o755)
    assert script_argv(file) == [str(file)]


def test_not_executable(tmp_path: Path) -> None:
    file = script(tmp_path, "bot", "what is this")
    with pytest.raises(BadBot, match=r"^\S+ is not executable: run 'chmod \+x \S+', or give it an"):
        script_argv(file)


@pytest.mark.parametrize("first", ["#!/usr/bin/env no-such-thing", "#!/opt/no-such-thing -x"])
def test_no_such_interpreter(tmp_path: Path, first: str) -> None:
    file = script(tmp_path, "a.py", first)
    with pytest.raises(BadBot, match=r"a\.py is run by \S*no-such-thing, which is not installed"):
        script_argv(file)


@pytest.mark.parametrize("ending", sorted(set(INTERPRETER_OF_SUFFIX) - {".py"}))
def test_missing_from_the_path(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = script(tmp_path, f"bot{ending}", "...")
    name = INTERPRETER_OF_SUFFIX[ending]
    hint = f"; {INSTALL_HINTS[name]}" if name != "sh" else ""
    with pytest.raises(BadBot) as error:
        script_argv(file)
    message = f"{file} is run by {name}, which is not installed or not on the PATH"
    assert str(error.value) == message + hint


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "tool", "#!/bin/sh", 0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert find_program("tool", Path("bot.yaml")) == str(tmp_path / "tool")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match="none: No such file or directory"):
        read_shebang(tmp_path / "none")


def test_a_rustup_stub_is_not_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_rustup_stub(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_installed("cargo") is None
    assert repair_hint("cargo") == "cargo has no toolchain: run 'rustup default stable'"
    with pytest.raises(BadBot) as error:
        find_program("cargo", Path("bot.yaml"), "is built by")
    assert str(error.value) == (
        "bot.yaml is built by cargo; cargo has no toolchain: run 'rustup default stable'"
    )


def test_a_stub_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_rustup_stub(tmp_path / "home")
    cargo = make_toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{tmp_path}/home/:{tmp_path}/none:{tmp_path}/system")
    assert find_installed("cargo") == str(cargo)
    assert find_program("cargo", Path("bot.yaml")) == str(cargo)
    assert build_search_path() == f"{tmp_path}/none:{tmp_path}/system:{tmp_path}/home/"


def test_a_stub_that_gets_a_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server need not be restarted for it."""
    cargo = make_rustup_stub(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_installed("cargo") is None
    write_program(tmp_path / "rustup", "#!/bin/sh\n")
    assert find_installed("cargo") == str(cargo)
    assert build_search_path() == str(tmp_path)


def test_a_stub_is_probed_without_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '#!/bin/sh\n[ "$PWD $RUSTUP_AUTO_INSTALL $1" = "/ 0 --version" ]\n'
    cargo = make_rustup_stub(tmp_path, text)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert find_installed("cargo") == str(cargo)


def test_other_version_managers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = write_program(tmp_path / "shims" / "go", "#!/bin/sh\n[ $1 != version ]\n")
    monkeypatch.setenv("PATH", str(shim.parent))
    assert find_installed("go") is None
    assert repair_hint("go") == f"{shim} does not run: run 'apt install golang-go'"
    write_program(shim, "#!/bin/sh\n[ $1 = version ]\n")
    assert find_installed("go") == str(shim)


def test_an_ordinary_program_is_run_only_in_a_thorough_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = write_program(tmp_path / "one" / "node", "#!/bin/sh\nexit 3\n")
    works = write_program(tmp_path / "two" / "node", "#!/bin/sh\n")
    unknown = write_program(tmp_path / "one" / "zork", "#!/bin/sh\nexit 3\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/one:{tmp_path}/two")
    assert find_installed("node") == str(broken)
    assert find_installed("node", thorough=True) == str(works)
    assert find_installed("zork", thorough=True) == str(unknown), "it may do anything if it is run"


@pytest.mark.parametrize("text", ["", "#!/no/such/interpreter\n"])
def test_a_program_that_cannot_be_started(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "node", text)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_installed("node", thorough=True) is None


@pytest.mark.parametrize(("path", "found"), [("", False), (":", True), (".", True)])
def test_the_current_folder(
    tmp_path: Path, path: str, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "zork", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert bool(find_installed("zork")) == found


@pytest.mark.parametrize(
    ("lines", "needed"),
    [
        ("run: [node, main.js]", ("node",)),
        ("run: [./bot]", ()),
        ("run: [bin/bot]", ()),
        ("run: [/usr/bin/perl, bot.pl]", ()),
        ("run: [python3, bot.py]", ()),
        ("run: [python, bot.py]", ()),
        ("run: [python3.11, bot.py]", ("python3.11",)),
        ("run: [./bot]\nbuild: [make, -j2]", ("make",)),
        ("run: [java, Bot]\nbuild: [mvn, package]", ("mvn", "java")),
        ("run: [node, .]\nbuild: [node, build.js]", ("node",)),
        ("run: [perl, bot.pl]\nbuild: [./build.sh]", ("perl",)),
        ("run: [perl, bot.pl]\nbuild: [python3, build.py]", ("perl",)),
    ],
)
def test_a_folder(tmp_path: Path, lines: str, needed: tuple[str, ...]) -> None:
    (tmp_path / "bot.yaml").write_text(f"name: fox\n{lines}\n")
    assert required_programs(tmp_path) == needed


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("fox.py", "", ()),
        ("fox.js", "", ("node",)),
        ("fox.rb", "", ("ruby",)),
        ("fox", "#!/usr/bin/env perl\n", ("perl",)),
        ("fox", "#!/usr/bin/env -S node --no-warnings\n", ("node",)),
        ("fox", "#!/usr/bin/env python3\n", ()),
        ("fox", "#!/usr/bin/perl -w\n", ()),
        ("fox.py", "#!/usr/bin/env perl\n", ("perl",)),
        ("fox.js", "#!\n", ("node",)),
        ("fox", "\x7fELF", ()),
        ("fox", "", ()),
    ],
)
def test_a_script(tmp_path: Path, name: str, text: str, needed: tuple[str, ...]) -> None:
    (tmp_path / name).write_text(text)
    assert required_programs(tmp_path / name) == needed


def test_required_programs_of_the_reference_bots() -> None:
    found = {name: required_programs(place) for name, place in builtin_bots().items()}
    assert found["random"] == ()
    assert found["c"] == ("make",)
    assert found["go"] == ("go",)
    assert found["typescript"][:1] == ("npm",)


def test_paths_that_are_not_bots(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"bot.yaml"):
        required_programs(tmp_path)
    with pytest.raises(BadBot, match="none: No such file or directory"):
        required_programs(tmp_path / "none")
