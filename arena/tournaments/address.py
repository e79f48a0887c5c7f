"""Where a cluster is: the address of its scheduler, or the file in which that stands."""

import json
import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.tournaments.document import BadTournament
from arena.tournaments.keys import Dask, Elsewhere

HERE: Final = "local"
"""What means the cores of this machine."""
PORT: Final = 8786
"""Where schedulers listen unless they are told otherwise."""

REPLAY: Final = Dask(scheduler=HERE).replay
"""The part of blocks that is replayed unless a file says otherwise."""

PORTS: Final = 1 << 16
ADDRESS: Final = re.compile(
    r"(?:(tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)"
    r"(?::([0-9]{1,5}))?",
    re.ASCII,
)
TLS: Final = {"ca": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
"""What Dask calls the files by which both sides prove who they are."""


@dataclass(frozen=True)
class Address:
    """A scheduler, and how to speak to it."""

    place: str
    """Such as tcp://host:8786, or a file that the scheduler has written."""
    tls: Mapping[str, str] = field(default_factory=dict)
    """Dask's settings; where there are none, those of its own configuration hold."""
    replay: float = REPLAY
    """The part of all blocks that is replayed when workers return them."""

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return "://" not in self.place


def address(on: str | None, key: str | Elsewhere, file: Path) -> Address | None:
    """The cluster that was named here, or else by the key of a file; None: this machine."""
    share = key.dask.replay if isinstance(key, Elsewhere) and isinstance(key.dask, Dask) else REPLAY
    if on is not None:
        if on == HERE:
            return None
        return replace(named(on, Path(), files(key, file.parent)), replay=share)
    if isinstance(key, str):
        return None
    told = key.dask.scheduler if isinstance(key.dask, Dask) else key.dask
    try:
        return replace(named(told, file.parent, files(key, file.parent)), replay=share)
    except ArenaError as error:
        raise BadTournament(f"{file}: $.backend: {error}") from error


def named(word: str, folder: Path, tls: Mapping[str, str]) -> Address:
    """The cluster that is meant by a word, seen from a folder, where these files are shown."""
    found = place(word, folder, usual="tls" if tls else "tcp")
    if tls and found.startswith("tcp:"):
        raise ArenaError(f"{found} asks for no certificates; say tls:// or leave them out")
    return Address(found, tls)


def place(word: str, folder: Path, usual: str) -> str:
    """A scheduler's address in full, or its file."""
    if word.endswith(".json"):
        if not there(folder / word):
            raise ArenaError(
                f"{folder / word} does not exist; start the scheduler with "
                f"'dask scheduler --scheduler-file {word}'"
            )
        return str(folder / word)
    found = ADDRESS.fullmatch(word)
    if not found or not 0 < int(found[3] or PORT) < PORTS:
        raise ArenaError(
            f"{word!r} is no address of a Dask scheduler; say tcp://HOST:{PORT}, the file that it "
            f"has written as FILE.json, or {HERE!r} for this machine"
        )
    scheme, host, port = found.groups()
    return f"{scheme or usual}://{host}:{port or PORT}"


def exposed(at: Address) -> str:
    """Return a warning if a scheduler of another machine asks for no certificates, or ""."""
    place = at.place
    if at.is_file:
        with suppress(OSError, ValueError, KeyError, TypeError):
            place = str(json.loads(Path(place).read_bytes())["address"])
    scheme, _, rest = place.partition("://")
    if scheme in {"tls", "wss"} or is_own(rest.rpartition(":")[0].strip("[]") or rest):
        return ""
    return (
        f"{place} asks for no certificates: everyone who reaches this port can run code on its "
        "workers; use tls://, or keep it in a network that nobody else is in"
    )


def is_own(host: str) -> bool:
    """Whether all addresses of a host are those of this machine."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        for family, kind, number, _, where in found:
            with socket.socket(family, kind, number) as tried:
                tried.bind(where)  # which is refused for addresses of other machines
    except (OSError, UnicodeError):
        return False
    return bool(found)


def files(key: str | Elsewhere, folder: Path) -> dict[str, str]:
    """The files by which both sides prove who they are, for any scheduler of the same people."""
    if isinstance(key, str) or isinstance(key.dask, str):
        return {}
    found = {}
    for part, name in TLS.items():
        if told := getattr(key.dask, part):
            if not there(folder / told):
                raise ArenaError(f"{folder / told} does not exist; 'backend.dask.{part}' names it")
            found[name] = str(folder / told)
    return found


def there(file: Path) -> bool:
    """Whether a file exists, as far as one can have such a name."""
    try:
        return file.is_file()
    except OSError:
        return False
