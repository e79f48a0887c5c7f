"""The bubblewrap command line that runs a bot's build in the sandbox."""

import os
import re
import resource
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.interpreters import build_search_path, find_installed, is_rustup
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
"""Unused user ids for builds when we run as root; bots have others."""

BUILD_ETC_NAMES = ("hosts", "maven", "npmrc", "nsswitch.conf", "pip.conf", "ssl/openssl.cnf")
"""Files and folders of /etc that build tools need."""

RESOLV_CONF = Path("/etc/resolv.conf")
"""The settings of name resolution; often a link to a file outside of /etc."""

PASSED_VARIABLES = re.compile(
    r"(https?|ftp|all|no)_proxy|(?-i:GO(PROXY|NOPROXY|PRIVATE|INSECURE|SUMDB|NOSUMDB|FLAGS))"
    r"|SSL_CERT_(FILE|DIR)|(CURL_CA|REQUESTS_CA)_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO"
    r"|npm_config_(registry|cafile|proxy|noproxy|strict_ssl)"
    r"|CARGO_(HTTP|NET|REGISTRIES|REGISTRY|SOURCE)_\w+|MAVEN_(OPTS|ARGS)"
    r"|PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)",
    re.IGNORECASE,
)
"""Variables that configure how package registries are reached."""

SECRET_VARIABLES = re.compile("token|secret|passw|credential|_key", re.IGNORECASE)
"""Variables that are not passed, since downloads do not need them."""


@dataclass(frozen=True)
class BuildEnvironment:
    """The command, files and network of a build."""

    argv: tuple[str, ...]
    folder: Path
    """The copy of the bot's folder, in which the build runs."""
    tmp: Path
    """A folder for temporary files."""
    passwd_file: Path
    """Its /etc/passwd: some tools look up the home of the user."""
    has_network: bool = False


def build_command(environment: BuildEnvironment, support: SandboxSupport, uid: int) -> BwrapCommand:
    """The command that runs a build in the sandbox; as root it becomes this user."""
    visible_paths = tool_paths(environment.argv, support)
    argv = [support.bubblewrap, *isolation_options(support, has_network=environment.has_network)]
    for name, value in environment_variables(environment, support, visible_paths).items():
        argv += ["--setenv", name, value]
    argv += [
        *system_mounts(replace(support, etc_paths=etc_paths(environment, support))),
        *private_mounts(environment, visible_paths),
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
    """The paths of /etc that it sees: all with the network, since certificates may be anywhere."""
    if environment.has_network:
        linked = RESOLV_CONF.resolve()
        return ("/etc", *(() if linked == RESOLV_CONF else (str(linked),)))
    return (*support.etc_paths, *(f"/etc/{name}" for name in BUILD_ETC_NAMES))


def tool_paths(argv: tuple[str, ...], support: SandboxSupport) -> tuple[str, ...]:
    """The paths outside the system's folders that a build needs: its tool, and Rust."""
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
    """Where rustup is installed, in the user's home; its programs find each other there."""

    bin_folder: Path
    home: Path


def find_rustup() -> RustToolchain | None:
    """Rust, if it comes from rustup; else it is in the system's folders."""
    cargo = find_installed("cargo")
    if not cargo or not is_rustup(cargo):
        return None
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup").absolute()
    return RustToolchain(Path(cargo).absolute().parent, home) if home.is_dir() else None


def environment_variables(
    environment: BuildEnvironment, support: SandboxSupport, visible_paths: tuple[str, ...]
) -> dict[str, str]:
    """The variables of its environment besides those of every bot."""
    known = [str(Path(environment.argv[0]).parent), *build_search_path().split(os.pathsep)]
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
    """Options that mount the folders that it may write, and the paths that it may read."""
    found = ["--perms", "1777", "--size", str(SHM_MIB * MIB), "--tmpfs", "/dev/shm"]  # noqa: S108 (inside)
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
