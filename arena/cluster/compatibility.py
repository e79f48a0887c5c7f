"""Checks whether a worker has the same program, a sandbox and the compilers a run needs."""

import platform
from importlib.metadata import PackageNotFoundError, version

from arena.bots.interpreters import find_installed, repair_hint
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.cluster.bot_cache import BotCache
from arena.cluster.messages import Requirements, WorkerInfo
from arena.errors import ArenaError
from arena.protocol.messages import PROTOCOL_VERSION
from arena.tournaments.play.resume import GAME_CODE, code_hash

PACKAGE = "stichkampf"
"""The name of the installed distribution."""

EDITION = (
    f"protocol {PROTOCOL_VERSION}, program "
    f"{code_hash((*GAME_CODE, 'cluster', 'store', 'tournaments'))}"
)
"""The version of the code of this process; all workers of a run need the same."""


def installed_version() -> str:
    """The installed release of the program."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def collect_worker_info(requirements: Requirements) -> WorkerInfo:
    """Find out what this machine has of what a run needs."""
    missing = {
        name: repair_hint(name) for name in requirements.programs if not find_installed(name)
    }
    sandbox_problem = ""
    try:
        select_sandbox(SandboxLevel(requirements.level), ResourceLimits())
    except SandboxUnavailable as error:
        sandbox_problem = str(error)
    try:
        cached = BotCache().find_cached(requirements.digests)
    except ArenaError:  # there is no folder for bots, which the first task will report
        cached = ()
    return WorkerInfo(EDITION, missing, sandbox_problem, cached)


def find_version_mismatch(python: str, package: str | None) -> str:
    """Why a worker with this Python and this release cannot take part; empty if it can."""
    ours = platform.python_version()
    if python.split(".")[:2] != ours.split(".")[:2]:
        return f"it runs Python {python}, and the run was begun with {ours}; use the same there"
    if package is None:
        return f"it does not have the package; run 'pip install {PACKAGE}[dask]' there"
    if package != installed_version():
        return (
            f"it has {PACKAGE} {package}, and this is {installed_version()}; install the same there"
        )
    return ""


def find_info_mismatch(info: WorkerInfo) -> str:
    """Why a worker with this information cannot take part; empty if it can."""
    if info.edition != EDITION:
        return f"it has {info.edition}, and this is {EDITION}; install the same and restart it"
    if info.sandbox_problem:
        return f"it has no sandbox: {info.sandbox_problem}"
    return ""
