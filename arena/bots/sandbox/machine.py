"""What walls can be made of on this machine."""

import os
import platform
import shutil
from functools import cache
from pathlib import Path

from arena.bots.sandbox.seccomp import ARCHITECTURES
from arena.bots.sandbox.walls import SETTINGS, Machine
from arena.errors import ArenaError

TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""What stands at the top of the file system beside /usr, as links into it or as folders."""

JAVA = "java-*"
"""Java keeps a part of itself in /etc."""


class NoWalls(ArenaError):
    """Bots cannot be walled in here."""


@cache
def machine() -> Machine:
    """What is here; that there is no bubblewrap is an error with what to do about it."""
    architecture = platform.machine()
    if platform.system() != "Linux" or architecture not in ARCHITECTURES:
        raise NoWalls("the sandbox needs Linux on x86_64 or aarch64")
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        raise NoWalls("the sandbox needs bubblewrap: run 'apt install bubblewrap' as root")
    setpriv = shutil.which("setpriv")
    root = os.geteuid() == 0
    if root and not setpriv:
        raise NoWalls("the sandbox needs setpriv: run 'apt install util-linux' as root")
    top = [Path("/", name) for name in TOP]
    etc = Path("/etc")
    settings = [etc / name for name in SETTINGS] + sorted(etc.glob(JAVA))
    return Machine(
        bubblewrap=bubblewrap,
        architecture=architecture,
        root=root,
        setpriv=setpriv or "",
        links=tuple((str(path), str(path.readlink())) for path in top if path.is_symlink()),
        folders=(
            "/usr",
            *(str(path) for path in top if path.is_dir() and not path.is_symlink()),
        ),
        settings=tuple(map(str, settings)),
    )
