"""Where a cluster is: the address of its scheduler, or the file in which that stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.tournaments.keys import Dask, Elsewhere

HERE: Final = "local"
"""What means the cores of this machine."""
PORT: Final = 8786
"""Where schedulers listen unless they are told otherwise."""

ADDRESS: Final = re.compile(
    r"(?:(tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?"
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

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return "://" not in self.place


def address(on: str | None, key: str | Elsewhere, folder: Path) -> Address | None:
    """The cluster that was named here, or else in a file in this folder; None: this machine."""
    if on is not None:
        # The certificates of a file are good for another scheduler of the same people, too.
        tls = files(key.dask, folder) if isinstance(key, Elsewhere) else {}
        return None if on == HERE else Address(place(on, Path()), tls)
    if isinstance(key, str):
        return None
    named = key.dask.scheduler if isinstance(key.dask, Dask) else key.dask
    return Address(place(named, folder), files(key.dask, folder))


def place(named: str, folder: Path) -> str:
    """A scheduler's address in full, or its file."""
    if named.endswith(".json"):
        if not (folder / named).is_file():
            raise ArenaError(
                f"{folder / named} does not exist; start the scheduler with "
                f"'dask scheduler --scheduler-file {named}'"
            )
        return str(folder / named)
    found = ADDRESS.fullmatch(named)
    if not found:
        raise ArenaError(
            f"{named!r} is no address of a Dask scheduler; say tcp://HOST:{PORT}, the file that it "
            f"has written as FILE.json, or {HERE!r} for this machine"
        )
    scheme, host, port = found.groups()
    return f"{scheme or 'tcp'}://{host}:{port or PORT}"


def files(dask: str | Dask, folder: Path) -> dict[str, str]:
    """The files by which both sides prove who they are."""
    if isinstance(dask, str):
        return {}
    found = {}
    for key, name in TLS.items():
        if told := getattr(dask, key):
            if not (folder / told).is_file():
                raise ArenaError(f"{folder / told} does not exist; 'backend.dask.{key}' names it")
            found[name] = str(folder / told)
    return found
