"""The address of a Dask scheduler: from an option, a tournament file or the scheduler's file."""

import json
import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.tournaments.config.keys import BackendKeys, DaskKeys
from arena.tournaments.config.yaml_file import BadTournament

LOCAL: Final = "local"
"""The word for the cores of this machine, in place of an address."""
DEFAULT_PORT: Final = 8786
"""The port on which schedulers listen by default."""

DEFAULT_REPLAY_SHARE: Final = DaskKeys(scheduler=LOCAL).replay
"""The share of blocks that is replayed by default."""

PORT_LIMIT: Final = 1 << 16
ADDRESS_PATTERN: Final = re.compile(
    r"(?:(tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)"
    r"(?::([0-9]{1,5}))?",
    re.ASCII,
)
TLS_SETTINGS: Final = {"ca": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
"""Dask's names for the files with certificates and keys."""


@dataclass(frozen=True)
class SchedulerAddress:
    """The address of a scheduler, and the certificates for its connection."""

    location: str
    """An address such as tcp://host:8786, or a file that the scheduler has written."""
    tls: Mapping[str, str] = field(default_factory=dict)
    """Dask's settings; if there are none, those of its own configuration hold."""
    replay_share: float = DEFAULT_REPLAY_SHARE
    """The share of the blocks returned by workers that is replayed."""

    @property
    def is_file(self) -> bool:
        """Whether the location is a file."""
        return "://" not in self.location


def find_scheduler(on: str | None, key: str | BackendKeys, file: Path) -> SchedulerAddress | None:
    """The scheduler of the option, or else of the key in a file; None: this machine."""
    share = (
        key.dask.replay
        if isinstance(key, BackendKeys) and isinstance(key.dask, DaskKeys)
        else DEFAULT_REPLAY_SHARE
    )
    if on is not None:
        if on == LOCAL:
            return None
        return replace(parse_scheduler(on, Path(), tls_files(key, file.parent)), replay_share=share)
    if isinstance(key, str):
        return None
    word = key.dask.scheduler if isinstance(key.dask, DaskKeys) else key.dask
    try:
        return replace(
            parse_scheduler(word, file.parent, tls_files(key, file.parent)), replay_share=share
        )
    except ArenaError as error:
        raise BadTournament(f"{file}: $.backend: {error}") from error


def parse_scheduler(word: str, folder: Path, tls: Mapping[str, str]) -> SchedulerAddress:
    """The scheduler at an address or in a file, seen from a folder, with these certificates."""
    location = resolve_location(word, folder, default_scheme="tls" if tls else "tcp")
    if tls and location.startswith("tcp:"):
        raise ArenaError(f"{location} asks for no certificates; say tls:// or leave them out")
    return SchedulerAddress(location, tls)


def resolve_location(word: str, folder: Path, default_scheme: str) -> str:
    """The full address of a scheduler, or the path of its file."""
    if word.endswith(".json"):
        if not is_existing_file(folder / word):
            raise ArenaError(
                f"{folder / word} does not exist; start the scheduler with "
                f"'dask scheduler --scheduler-file {word}'"
            )
        return str(folder / word)
    match = ADDRESS_PATTERN.fullmatch(word)
    if not match or not 0 < int(match[3] or DEFAULT_PORT) < PORT_LIMIT:
        raise ArenaError(
            f"{word!r} is no address of a Dask scheduler; say tcp://HOST:{DEFAULT_PORT}, "
            f"the file that it has written as FILE.json, or {LOCAL!r} for this machine"
        )
    scheme, host, port = match.groups()
    return f"{scheme or default_scheme}://{host}:{port or DEFAULT_PORT}"


def exposure_warning(scheduler: SchedulerAddress) -> str:
    """Return a warning if a scheduler of another machine asks for no certificates, or ""."""
    address = scheduler.location
    if scheduler.is_file:
        with suppress(OSError, ValueError, KeyError, TypeError):
            address = str(json.loads(Path(address).read_bytes())["address"])
    scheme, _, rest = address.partition("://")
    if scheme in {"tls", "wss"} or is_this_machine(rest.rpartition(":")[0].strip("[]") or rest):
        return ""
    return (
        f"{address} asks for no certificates: everyone who reaches this port can run code on its "
        "workers; use tls://, or keep it in a network that nobody else is in"
    )


def is_this_machine(host: str) -> bool:
    """Whether all addresses of a host are those of this machine."""
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        for family, kind, number, _, address in addresses:
            with socket.socket(family, kind, number) as probe:
                probe.bind(address)  # fails for addresses of other machines
    except (OSError, UnicodeError):
        return False
    return bool(addresses)


def tls_files(key: str | BackendKeys, folder: Path) -> dict[str, str]:
    """The certificate files that a key names, for the scheduler of the key or of the option."""
    if isinstance(key, str) or isinstance(key.dask, str):
        return {}
    files = {}
    for part, setting in TLS_SETTINGS.items():
        if name := getattr(key.dask, part):
            if not is_existing_file(folder / name):
                raise ArenaError(f"{folder / name} does not exist; 'backend.dask.{part}' names it")
            files[setting] = str(folder / name)
    return files


def is_existing_file(file: Path) -> bool:
    """Whether a file exists; no file has a name that the system rejects."""
    try:
        return file.is_file()
    except OSError:
        return False
