"""Find the interpreters, compilers and other programs that bots are run and built by."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from arena.bots import manifest
from arena.bots.manifest import MANIFEST_FILE
from arena.errors import BadBot

INTERPRETER_OF_SUFFIX: Final[dict[str, str]] = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".pl": "perl",
    ".rb": "ruby",
    ".sh": "sh",
    ".lua": "lua",
    ".php": "php",
}
"""The interpreter of a script without a shebang."""

INSTALL_HINTS: Final[dict[str, str]] = {
    "cargo": "run 'apt install cargo', on Debian 12 'apt install cargo-web'",
    "cc": "run 'apt install gcc make libcjson-dev'",
    "cmake": "run 'apt install cmake make g++ nlohmann-json3-dev'",
    "go": "run 'apt install golang-go'",
    "java": "run 'apt install default-jdk-headless'",
    "jq": "run 'apt install jq'",
    "lua": "run 'apt install lua5.4'",
    "make": "run 'apt install make'",
    "mvn": "run 'apt install maven default-jdk-headless'",
    "node": "run 'apt install nodejs'",
    "npm": "run 'apt install npm'",
    "perl": "run 'apt install perl'",
    "php": "run 'apt install php-cli'",
    "ruby": "run 'apt install ruby'",
}
"""How to install a program that bots are run or built by, on Debian."""

VERSION_OPTIONS: Final[dict[str, str]] = {
    **dict.fromkeys(("c++", "cargo", "cc", "cmake", "g++", "jq", "make", "mvn"), "--version"),
    **dict.fromkeys(("node", "npm", "perl", "php", "ruby"), "--version"),
    "go": "version",
    "java": "-version",
    "lua": "-v",
}
"""Arguments that make a program print its version, which shows that it runs."""

VERSION_TIMEOUT = 60
"""Seconds that printing a version may take on a busy machine."""

RETRY_AFTER = 10.0
"""Seconds after which a program is tried again: it may have been repaired or removed."""

SHIMS: Final = frozenset({"rustup", "volta-shim"})
"""Programs of version managers: links to them run the version that is chosen."""
SHIMS_FOLDER = "shims"
"""Folder in which other version managers keep such programs: asdf, mise, jenv, goenv, rbenv."""

MAX_SHEBANG = 256

SYSTEM_FOLDERS: Final = frozenset({"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"})
"""Folders of programs that a script may name, whether they are on the PATH or not."""

PYTHON_NAMES: Final = frozenset({"python", "python3"})
"""Names that mean the Python that the arena itself runs on."""


def script_argv(script: Path) -> list[str]:
    """The command line that runs a bare script or an executable file."""
    named = read_shebang(script)
    if named:
        return [find_program(named[0], script), *named[1:], str(script)]
    if interpreter := INTERPRETER_OF_SUFFIX.get(script.suffix):
        return [find_program(interpreter, script), str(script)]
    if not os.access(script, os.X_OK):
        raise BadBot(
            f"{script} is not executable: run 'chmod +x {script}', "
            f"or give it an ending such as {', '.join(INTERPRETER_OF_SUFFIX)}"
        )
    return [str(script)]


def read_shebang(script: Path) -> list[str]:
    """The words of the first line after `#!` and `env`; empty without such a line."""
    try:
        with script.open("rb") as file:
            first = file.readline(MAX_SHEBANG)
    except OSError as error:
        raise BadBot(f"{script}: {error.strerror}") from error
    if not first.startswith(b"#!"):
        return []
    words = first[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        return [word for word in words[1:] if word != "-S"]
    return words


def find_installed(name: str, *, thorough: bool = False) -> str | None:
    """The path of a program that runs; one given by path has to lie in a folder of programs.

    A version manager puts programs on the PATH that do not run until a version is chosen, such as
    rustup's cargo. They are tried, and skipped if they fail. Other programs are tried only in a
    thorough search, which builds, `arena new` and `arena doctor` make: `node --version` takes
    40 ms and `mvn --version` 400 ms, and a bot that does not start is reported anyway.
    """
    return next(
        (path for path in programs_on_path(name) if is_runnable(name, path, thorough=thorough)),
        None,
    )


def programs_on_path(name: str) -> Iterator[str]:
    """All programs of a name, in the order of the `PATH`."""
    known = os.environ.get("PATH", os.defpath)
    listed = known.split(os.pathsep) if known else []
    if "/" in name:
        is_program = name.startswith("/") and str(Path(name).parent) in {*listed, *SYSTEM_FOLDERS}
        listed = [str(Path(name).parent)] if is_program else []
    for folder in dict.fromkeys(listed):
        if path := shutil.which(Path(name).name, path=folder or os.curdir):
            yield path


def is_runnable(name: str, path: str, *, thorough: bool) -> bool:
    """Whether a program runs; most programs are only tried in a thorough search."""
    word = VERSION_OPTIONS.get(Path(name).name)
    if word is None or not (thorough or is_shim(path)):
        return True
    return prints_version(path, word, int(time.monotonic() // RETRY_AFTER))


@lru_cache(maxsize=64)
def prints_version(path: str, option: str, period: int) -> bool:  # noqa: ARG001 (it limits the cache)
    """Whether a program prints its version; tried once in a period, since builds ask often."""
    try:
        subprocess.run(  # noqa: S603 (a program that bots are built or run by)
            [path, option],
            cwd="/",  # some look for the version that a folder asks for
            env={**os.environ, "RUSTUP_AUTO_INSTALL": "0"},  # downloads nothing
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=VERSION_TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def is_shim(path: str) -> bool:
    """Whether a program belongs to a version manager and runs the chosen version."""
    return Path(path).resolve().name in SHIMS or Path(path).parent.name == SHIMS_FOLDER


def is_rustup(path: str) -> bool:
    """Whether a program is one of rustup's, which are all links to it."""
    return Path(path).resolve().name == "rustup"


def build_search_path() -> str:
    """The PATH for builds, in which folders with a cargo that does not run come last.

    A program finds others by the PATH: cargo would start the rustc beside another cargo.
    """
    known = os.environ.get("PATH", os.defpath).split(os.pathsep)
    stubs = {
        Path(path).parent
        for path in programs_on_path("cargo")
        if not is_runnable("cargo", path, thorough=False)
    }
    known.sort(key=lambda folder: Path(folder) in stubs)
    return os.pathsep.join(known)


def install_hint(name: str) -> str:
    """How to install a program."""
    return INSTALL_HINTS.get(name, f"run 'apt install {name}'")


def repair_hint(name: str) -> str:
    """Why an installed program does not run, or how to install it."""
    stub = next(programs_on_path(name), None)
    if stub is None:
        return install_hint(name)
    if is_rustup(stub):
        return f"{name} has no toolchain: run 'rustup default stable'"
    return f"{stub} does not run: {install_hint(name)}"


def find_program(
    name: str, owner: Path, relation: str = "is run by", *, thorough: bool = False
) -> str:
    """The path of a program; `python3` is the Python that the arena itself runs on."""
    if name in PYTHON_NAMES:
        return sys.executable
    found = find_installed(name, thorough=thorough)
    if found is None:
        if any(programs_on_path(name)):
            raise BadBot(f"{owner} {relation} {name}; {repair_hint(name)}")
        hint = f"; {INSTALL_HINTS[name]}" if name in INSTALL_HINTS else ""
        raise BadBot(f"{owner} {relation} {name}, which is not installed or not on the PATH{hint}")
    return str(Path(found).absolute())


def required_programs(bot: Path) -> tuple[str, ...]:
    """The names of the programs that a bot, a folder or a script, needs to be built and run."""
    if bot.is_dir():
        keys = manifest.load_manifest(bot / MANIFEST_FILE)
        named = [argv[0] for argv in (keys.build, keys.run) if argv]
    else:
        named = read_shebang(bot)[:1] or [INTERPRETER_OF_SUFFIX.get(bot.suffix, "")]
    return tuple(
        name
        for name in dict.fromkeys(named)
        if name and "/" not in name and name not in PYTHON_NAMES
    )
