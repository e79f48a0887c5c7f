"""The bubblewrap command line that runs a bot's build in the sandbox."""

import os
import re
import resource
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.interpreters import build_path, find_installed, is_rustup
from arena.bots.sandbox import seccomp
from arena.bots.sandbox.bwrap import (
    BOT_FOLDER,
    BOT_UID_COUNT,
    ENVIRONMENT,
    FIRST_BOT_UID,
    SHM_MIB,
    BwrapCommand,
    SandboxSupport,
    folder_options,
    isolation_options,
    setpriv_argv,
    system_mounts,
)
from arena.bots.sandbox.host import install_prefix, required_paths
from arena.bots.sandbox.limits import MIB, ResourceLimits, rlimits

BUILD_LIMITS = ResourceLimits(memory=2048, processes=512, files=4096)
MAX_BUILD_FILE_MIB = 1024
"""MiB of the longest file that a build may write."""

FIRST_BUILD_UID, BUILD_UID_COUNT = FIRST_BOT_UID + BOT_UID_COUNT, 500
"""Users that nobody is, of whom a build becomes one where we are root; no bot is one of them."""

BUILD_ETC_NAMES = ("hosts", "maven", "npmrc", "nsswitch.conf", "pip.conf", "ssl/openssl.cnf")
"""What of /etc tools need that build something."""

RESOLV_CONF = Path("/etc/resolv.conf")
"""Who knows the addresses of others; often a link to a place outside of /etc."""

PASSED_VARIABLES = re.compile(
    r"(https?|ftp|all|no)_proxy|(?-i:GO(PROXY|NOPROXY|PRIVATE|INSECURE|SUMDB|NOSUMDB|FLAGS))"
    r"|SSL_CERT_(FILE|DIR)|(CURL_CA|REQUESTS_CA)_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO"
    r"|npm_config_(registry|cafile|proxy|noproxy|strict_ssl)"
    r"|CARGO_(HTTP|NET|REGISTRIES|REGISTRY|SOURCE)_\w+|MAVEN_(OPTS|ARGS)"
    r"|PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)",
    re.IGNORECASE,
)
"""Variables that say how registries of packages are reached."""

SECRET_VARIABLES = re.compile("token|secret|passw|credential|_key", re.IGNORECASE)
"""Variables that nobody is told who only fetches."""


@dataclass(frozen=True)
class BuildEnvironment:
    """What a build works with."""

    argv: tuple[str, ...]
    folder: Path
    """The copy of the bot's folder, in which it builds."""
    tmp: Path
    """A folder for whatever it does not need afterwards."""
    passwd_file: Path
    """A file that says who it is: some tools ask where its home is."""
    has_network: bool = False


def build_command(environment: BuildEnvironment, support: SandboxSupport, uid: int) -> BwrapCommand:
    """The walls around a build; as root it becomes this user."""
    shown = tool_paths(environment.argv, support)
    argv = [support.bubblewrap, *isolation_options(support, has_network=environment.has_network)]
    for name, value in environment_variables(environment, support, shown).items():
        argv += ["--setenv", name, value]
    argv += [
        *system_mounts(replace(support, etc_paths=etc_paths(environment, support))),
        *private_mounts(environment, shown),
    ]
    return BwrapCommand(
        argv,
        [*(setpriv_argv(support, uid) if support.is_root else ()), *environment.argv],
        seccomp.build_filter(
            support.architecture,
            counts_memory=support.counts_memory,
            has_network=environment.has_network,
        ),
        {**rlimits(BUILD_LIMITS), resource.RLIMIT_FSIZE: MAX_BUILD_FILE_MIB * MIB},
    )


def etc_paths(environment: BuildEnvironment, support: SandboxSupport) -> tuple[str, ...]:
    """What it sees of /etc: all, if it uses the network, for certificates may lie anywhere."""
    if environment.has_network:
        linked = RESOLV_CONF.resolve()
        return ("/etc", *(() if linked == RESOLV_CONF else (str(linked),)))
    return (*support.etc_paths, *(f"/etc/{name}" for name in BUILD_ETC_NAMES))


def tool_paths(argv: tuple[str, ...], support: SandboxSupport) -> tuple[str, ...]:
    """What lies outside the system's folders and is needed: the tool that builds, and Rust."""
    rust = find_rustup()
    found = {rust.home, rust.bin_folder} if rust else set()
    if Path(argv[0]).is_absolute() and not is_rustup(argv[0]):
        found |= {Path(path) for path in required_paths(argv, support.program_folders)}
        found |= {install_prefix(Path(argv[0]))}
    outside = {
        path
        for path in found
        if not any(path.is_relative_to(top) for top in support.program_folders)
    }
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


@dataclass(frozen=True)
class RustToolchain:
    """Where rustup keeps itself, in somebody's home: its programs all find their own there."""

    bin_folder: Path
    home: Path


def find_rustup() -> RustToolchain | None:
    """Rust, if it is rustup's; else it is installed like everything else."""
    cargo = find_installed("cargo")
    if not cargo or not is_rustup(cargo):
        return None
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup").absolute()
    return RustToolchain(Path(cargo).absolute().parent, home) if home.is_dir() else None


def environment_variables(
    environment: BuildEnvironment, support: SandboxSupport, visible_paths: tuple[str, ...]
) -> dict[str, str]:
    """What it finds in its environment beside what every bot does."""
    known = [str(Path(environment.argv[0]).parent), *build_path().split(os.pathsep)]
    visible = [*support.program_folders, *visible_paths]
    path = [each for each in known if any(Path(each).is_relative_to(top) for top in visible)]
    path += ENVIRONMENT["PATH"].split(os.pathsep)
    found = {"PATH": os.pathsep.join(dict.fromkeys(path))}
    if rust := find_rustup():
        found["RUSTUP_HOME"] = str(rust.home)
    if environment.has_network:
        found |= {
            name: value
            for name, value in os.environ.items()
            if PASSED_VARIABLES.fullmatch(name) and not SECRET_VARIABLES.search(name)
        }
    return found


def private_mounts(environment: BuildEnvironment, visible_paths: tuple[str, ...]) -> list[str]:
    """What is its own, and may be written; and what it is shown."""
    found = ["--perms", "1777", "--size", str(SHM_MIB * MIB), "--tmpfs", "/dev/shm"]  # noqa: S108 (its own)
    found += ["--bind", str(environment.tmp), ENVIRONMENT["TMPDIR"]]
    found += ["--ro-bind", str(environment.passwd_file), "/etc/passwd"]
    found += folder_options(*visible_paths)
    for path in visible_paths:
        found += ["--ro-bind", path, path]
    return [
        *found,
        "--bind",
        str(environment.folder),
        str(BOT_FOLDER),
        "--chdir",
        str(BOT_FOLDER),
        "--remount-ro",
        "/",
    ]
