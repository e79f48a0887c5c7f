"""Facts: what a worker has of what is needed, and what follows from what it has not."""

import platform
from importlib.metadata import PackageNotFoundError, version

from arena.bots.interpreters import installed, lack
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import chosen
from arena.cluster.messages import Facts, Needs
from arena.cluster.shelf import Shelf
from arena.errors import ArenaError
from arena.protocol.messages import PROTOCOL
from arena.tournaments.opening import DECIDE, code

PACKAGE = "stichkampf"
"""What the program is installed as."""


EDITION = f"protocol {PROTOCOL}, program {code((*DECIDE, 'cluster', 'store', 'tournaments'))}"
"""What has to be the same wherever a run is played, as this process has loaded it."""


def release() -> str:
    """Which release of the program this is."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def gather(needs: Needs) -> Facts:
    """What this machine has."""
    missing = {name: lack(name) for name in needs.programs if not installed(name)}
    walls = ""
    try:
        chosen(Level(needs.level), Limits())
    except NoWalls as why:
        walls = str(why)
    try:
        there = Shelf().filled(needs.digests)
    except ArenaError:  # there is no place for bots, which the first of them will tell
        there = ()
    return Facts(EDITION, missing, walls, there)


def outdated(python: str, package: str | None) -> str:
    """Why a worker with this Python and this release cannot take part; empty if it can."""
    ours = platform.python_version()
    if python.split(".")[:2] != ours.split(".")[:2]:
        return f"it runs Python {python}, and the run was begun with {ours}; use the same there"
    if package is None:
        return f"it does not have the package; run 'pip install {PACKAGE}[dask]' there"
    if package != release():
        return f"it has {PACKAGE} {package}, and this is {release()}; install the same there"
    return ""


def unlike(facts: Facts) -> str:
    """Why a worker with these facts cannot take part; empty if it can."""
    if facts.edition != EDITION:
        return f"it has {facts.edition}, and this is {EDITION}; install the same and restart it"
    if facts.walls:
        return f"it has no sandbox: {facts.walls}"
    return ""
