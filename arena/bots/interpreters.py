"""How a file is run: by its shebang, by its ending, or as the program it is."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from arena.errors import BadBot

ENDINGS: Final[dict[str, str]] = {
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
"""The interpreter of a script that names none itself."""

PACKAGES: Final[dict[str, str]] = {
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
"""How to come by a program that bots are run or built by, on Debian."""

LONGEST_SHEBANG = 256

SYSTEM: Final = frozenset({"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"})
"""Folders of programs that a script may name, whether they are on the PATH or not."""

OURS: Final = frozenset({"python", "python3"})
"""What means the Python that the arena itself runs on."""


def argv_of(script: Path) -> list[str]:
    """The command line that runs a bare script or an executable file."""
    named = shebang(script)
    if named:
        return [program(named[0], script), *named[1:], str(script)]
    if interpreter := ENDINGS.get(script.suffix):
        return [program(interpreter, script), str(script)]
    if not os.access(script, os.X_OK):
        raise BadBot(
            f"{script} is not executable: run 'chmod +x {script}', "
            f"or give it an ending such as {', '.join(ENDINGS)}"
        )
    return [str(script)]


def shebang(script: Path) -> list[str]:
    """What the first line names after `#!` and `env`; nothing if there is no such line."""
    try:
        with script.open("rb") as file:
            first = file.readline(LONGEST_SHEBANG)
    except OSError as error:
        raise BadBot(f"{script}: {error.strerror}") from error
    if not first.startswith(b"#!"):
        return []
    words = first[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        return [word for word in words[1:] if word != "-S"]
    return words


def installed(name: str) -> str | None:
    """Where a program is, if it is there; by a path only if it lies in a folder of programs."""
    known = os.environ.get("PATH", os.defpath)
    folders = {*known.split(os.pathsep), *SYSTEM}
    if "/" in name and not (name.startswith("/") and str(Path(name).parent) in folders):
        return None
    return shutil.which(name, path=known)


def remedy(name: str) -> str:
    """How to come by a program."""
    return PACKAGES.get(name, f"run 'apt install {name}'")


def program(name: str, owner: Path, needs: str = "is run by") -> str:
    """Where a program is; `python3` is the Python that the arena itself runs on."""
    if name in OURS:
        return sys.executable
    found = installed(name)
    if found is None:
        hint = f"; {PACKAGES[name]}" if name in PACKAGES else ""
        raise BadBot(f"{owner} {needs} {name}, which is not installed or not on the PATH{hint}")
    return str(Path(found).absolute())
