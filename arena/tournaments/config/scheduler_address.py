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
"""What means the cores of this machine."""
DEFAULT_PORT: Final = 8786
"""Where schedulers listen unless they are told otherwise."""

DEFAULT_REPLAY_SHARE: Final = DaskKeys(scheduler=LOCAL).replay
"""The part of blocks that is replayed unless a file says otherwise."""

PORT_LIMIT: Final = 1 << 16
ADDRESS_PATTERN: Final = re.compile(
    r"(?:(tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)"
    r"(?::([0-9]{1,5}))?",
    re.ASCII,
)
TLS_SETTINGS: Final = {"ca": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
"""What Dask calls the files by which both sides prove who they are."""


@dataclass(frozen=True)
class SchedulerAddress:
    """A scheduler, and how to speak to it."""

    location: str
    """Such as tcp://host:8786, or a file that the scheduler has written."""
    tls: Mapping[str, str] = field(default_factory=dict)
    """Dask's settings; where there are none, those of its own configuration hold."""
    replay_share: float = DEFAULT_REPLAY_SHARE
    """The part of all blocks that is replayed when workers return them."""

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return "://" not in self.location


def find_scheduler(on: str | None, key: str | BackendKeys, file: Path) -> SchedulerAddress | None:
    """The cluster that was named here, or else by the key of a file; None: this machine."""
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
    told = key.dask.scheduler if isinstance(key.dask, DaskKeys) else key.dask
    try:
        return replace(
            parse_scheduler(told, file.parent, tls_files(key, file.parent)), replay_share=share
        )
    except ArenaError as error:
        raise BadTournament(f"{file}: $.backend: {error}") from error


def parse_scheduler(word: str, folder: Path, tls: Mapping[str, str]) -> SchedulerAddress:
    """The cluster that is meant by a word, seen from a folder, where these files are shown."""
    found = resolve_location(word, folder, usual="tls" if tls else "tcp")
    if tls and found.startswith("tcp:"):
        raise ArenaError(f"{found} asks for no certificates; say tls:// or leave them out")
    return SchedulerAddress(found, tls)


def resolve_location(word: str, folder: Path, usual: str) -> str:
    """A scheduler's address in full, or its file."""
    if word.endswith(".json"):
        if not is_existing_file(folder / word):
            raise ArenaError(
                f"{folder / word} does not exist; start the scheduler with "
                f"'dask scheduler --scheduler-file {word}'"
            )
        return str(folder / word)
    found = ADDRESS_PATTERN.fullmatch(word)
    if not found or not 0 < int(found[3] or DEFAULT_PORT) < PORT_LIMIT:
        raise ArenaError(
            f"{word!r} is no address of a Dask scheduler; say tcp://HOST:{DEFAULT_PORT}, "
            f"the file that it "
            f"has written as FILE.json, or {LOCAL!r} for this machine"
        )
    scheme, host, port = found.groups()
    return f"{scheme or usual}://{host}:{port or DEFAULT_PORT}"


def exposure_warning(at: SchedulerAddress) -> str:
    """Return a warning if a scheduler of another machine asks for no certificates, or ""."""
    place = at.location
    if at.is_file:
        with suppress(OSError, ValueError, KeyError, TypeError):
            place = str(json.loads(Path(place).read_bytes())["address"])
    scheme, _, rest = place.partition("://")
    if scheme in {"tls", "wss"} or is_this_machine(rest.rpartition(":")[0].strip("[]") or rest):
        return ""
    return (
        f"{place} asks for no certificates: everyone who reaches this port can run code on its "
        "workers; use tls://, or keep it in a network that nobody else is in"
    )


def is_this_machine(host: str) -> bool:
    """Whether all addresses of a host are those of this machine."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        for family, kind, number, _, where in found:
            with socket.socket(family, kind, number) as tried:
                tried.bind(where)  # which is refused for addresses of other machines
    except (OSError, UnicodeError):
        return False
    return bool(found)


def tls_files(key: str | BackendKeys, folder: Path) -> dict[str, str]:
    """The files by which both sides prove who they are, for any scheduler of the same people."""
    if isinstance(key, str) or isinstance(key.dask, str):
        return {}
    found = {}
    for part, name in TLS_SETTINGS.items():
        if told := getattr(key.dask, part):
            if not is_existing_file(folder / told):
                raise ArenaError(f"{folder / told} does not exist; 'backend.dask.{part}' names it")
            found[name] = str(folder / told)
    return found


def is_existing_file(file: Path) -> bool:
    """Whether a file exists, as far as one can have such a name."""
    try:
        return file.is_file()
    except OSError:
        return False
