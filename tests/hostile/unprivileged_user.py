"""Commands as an ordinary user runs them, who cannot look into root's home."""

import os
import shlex
import sys
from pathlib import Path

USER = 60_999
"""A user without a name, whose id no bot can have."""

FIRST = 3
"""The first descriptor that a shell has for us."""

REPOSITORY = Path(__file__).parents[2]


def command_as_user(argv: list[str], home: Path) -> list[str]:
    """Return the command that runs another one as an ordinary user with this home.

    Where root keeps its Python or the repository in folders that are closed to others, the user
    sees a file system of its own in which only these are open.
    """
    if os.geteuid():
        return argv
    home.mkdir(parents=True, exist_ok=True)
    os.chown(home, USER, USER)
    needed = [Path(sys.base_prefix), Path(sys.prefix), REPOSITORY, home]
    shut = sorted({top for path in needed if (top := closed(path))})
    lines = ["set -e"]
    held = range(FIRST, FIRST + len(needed))
    lines += [
        f"exec {number}<{shlex.quote(str(path))}" for number, path in zip(held, needed, strict=True)
    ]
    lines += [f"mount -t tmpfs -o mode=755 none {shlex.quote(str(top))}" for top in shut]
    for number, path in zip(held, needed, strict=True):
        if closed_by(path, shut):
            where = shlex.quote(str(path))
            lines += [f"mkdir -p {where}", f"mount -c --bind /proc/self/fd/{number} {where}"]
    lines += [f"exec {number}<&-" for number in held]
    user = f"--reuid={USER} --regid={USER} --clear-groups --inh-caps=-all --bounding-set=-all"
    lines += [f"exec setpriv {user} -- {shlex.join(argv)}"]
    return ["unshare", "--mount", "--propagation=private", "sh", "-c", "\n".join(lines)]


def closed(path: Path) -> Path | None:
    """The first folder on the way to a path into which others cannot go."""
    for folder in reversed([path, *path.parents]):
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


def closed_by(path: Path, shut: list[Path]) -> bool:
    """Whether a path is below one of these."""
    return any(path.is_relative_to(top) for top in shut)
