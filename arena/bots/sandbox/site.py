"""The building site: walls around a build, with room to write, and the network if it is let."""

import os
import re
import resource
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.interpreters import build_path, installed, is_rustup
from arena.bots.sandbox import seccomp
from arena.bots.sandbox.level import MIB, Limits, rlimits
from arena.bots.sandbox.sight import place_of, seen
from arena.bots.sandbox.walls import (
    ENVIRONMENT,
    FIRST_USER,
    HOME,
    SHARED,
    USERS,
    Machine,
    Walls,
    become,
    folders,
    separate,
    system,
)

LIMITS = Limits(memory=2048, processes=512, files=4096)
FILE = 1024
"""MiB of the longest file that a build may write."""

FIRST_BUILDER, BUILDERS = FIRST_USER + USERS, 500
"""Users that nobody is, of whom a build becomes one where we are root; no bot is one of them."""

SETTINGS = ("hosts", "maven", "npmrc", "nsswitch.conf", "pip.conf", "ssl/openssl.cnf")
"""What of /etc tools need that build something."""

ADDRESSES = Path("/etc/resolv.conf")
"""Who knows the addresses of others; often a link to a place outside of /etc."""

PASSED = re.compile(
    r"(https?|ftp|all|no)_proxy|(?-i:GO(PROXY|NOPROXY|PRIVATE|INSECURE|SUMDB|NOSUMDB|FLAGS))"
    r"|SSL_CERT_(FILE|DIR)|(CURL_CA|REQUESTS_CA)_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO"
    r"|npm_config_(registry|cafile|proxy|noproxy|strict_ssl)"
    r"|CARGO_(HTTP|NET|REGISTRIES|REGISTRY|SOURCE)_\w+|MAVEN_(OPTS|ARGS)"
    r"|PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)",
    re.IGNORECASE,
)
"""Variables that say how registries of packages are reached."""

SECRET = re.compile("token|secret|passw|credential|_key", re.IGNORECASE)
"""Variables that nobody is told who only fetches."""


@dataclass(frozen=True)
class Site:
    """What a build works with."""

    argv: tuple[str, ...]
    folder: Path
    """The copy of the bot's folder, in which it builds."""
    tmp: Path
    """A folder for whatever it does not need afterwards."""
    passwd: Path
    """A file that says who it is: some tools ask where its home is."""
    network: bool = False


def around(site: Site, machine: Machine, user: int) -> Walls:
    """The walls around a build; as root it becomes this user."""
    shown = tools(site.argv, machine)
    argv = [machine.bubblewrap, *separate(machine, network=site.network)]
    for name, value in environment(site, machine, shown).items():
        argv += ["--setenv", name, value]
    argv += [*system(replace(machine, settings=settings(site, machine))), *own(site, shown)]
    return Walls(
        argv,
        [*(become(machine, user) if machine.root else ()), *site.argv],
        seccomp.program(machine.architecture, counted=machine.counted, network=site.network),
        {**rlimits(LIMITS), resource.RLIMIT_FSIZE: FILE * MIB},
    )


def settings(site: Site, machine: Machine) -> tuple[str, ...]:
    """What it sees of /etc: all, if it uses the network, for certificates may lie anywhere."""
    if site.network:
        linked = ADDRESSES.resolve()
        return ("/etc", *(() if linked == ADDRESSES else (str(linked),)))
    return (*machine.settings, *(f"/etc/{name}" for name in SETTINGS))


def tools(argv: tuple[str, ...], machine: Machine) -> tuple[str, ...]:
    """What lies outside the system's folders and is needed: the tool that builds, and Rust."""
    rust = rustup()
    found = {rust.home, rust.programs} if rust else set()
    if Path(argv[0]).is_absolute() and not is_rustup(argv[0]):
        found |= {Path(path) for path in seen(argv, machine.folders)}
        found |= {place_of(Path(argv[0]))}
    outside = {
        path for path in found if not any(path.is_relative_to(top) for top in machine.folders)
    }
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


@dataclass(frozen=True)
class Rust:
    """Where rustup keeps itself, in somebody's home: its programs all find their own there."""

    programs: Path
    home: Path


def rustup() -> Rust | None:
    """Rust, if it is rustup's; else it is installed like everything else."""
    cargo = installed("cargo")
    if not cargo or not is_rustup(cargo):
        return None
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup").absolute()
    return Rust(Path(cargo).absolute().parent, home) if home.is_dir() else None


def environment(site: Site, machine: Machine, shown: tuple[str, ...]) -> dict[str, str]:
    """What it finds in its environment beside what every bot does."""
    known = [str(Path(site.argv[0]).parent), *build_path().split(os.pathsep)]
    visible = [*machine.folders, *shown]
    path = [each for each in known if any(Path(each).is_relative_to(top) for top in visible)]
    path += ENVIRONMENT["PATH"].split(os.pathsep)
    found = {"PATH": os.pathsep.join(dict.fromkeys(path))}
    if rust := rustup():
        found["RUSTUP_HOME"] = str(rust.home)
    if site.network:
        found |= {
            name: value
            for name, value in os.environ.items()
            if PASSED.fullmatch(name) and not SECRET.search(name)
        }
    return found


def own(site: Site, shown: tuple[str, ...]) -> list[str]:
    """What is its own, and may be written; and what it is shown."""
    found = ["--perms", "1777", "--size", str(SHARED * MIB), "--tmpfs", "/dev/shm"]  # noqa: S108 (its own)
    found += ["--bind", str(site.tmp), ENVIRONMENT["TMPDIR"]]
    found += ["--ro-bind", str(site.passwd), "/etc/passwd"]
    found += folders(*shown)
    for path in shown:
        found += ["--ro-bind", path, path]
    return [
        *found,
        "--bind",
        str(site.folder),
        str(HOME),
        "--chdir",
        str(HOME),
        "--remount-ro",
        "/",
    ]
