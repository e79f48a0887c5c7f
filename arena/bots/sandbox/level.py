"""How strongly bots are walled in, and how much each may use."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

MIB = 1 << 20


class Level(StrEnum):
    """How strongly bots are walled in."""

    STRICT = "strict"
    """As standard, with cgroups that count, and nobody runs who is not asked."""
    STANDARD = "standard"
    """Own namespaces, no network, a read-only system, a filter for system calls, limits."""
    NONE = "none"
    """None: bots can do whatever their user can."""


class Limits(Struct, frozen=True, kw_only=True):
    """What a bot with everything it has started may use."""

    memory: Annotated[int, Meta(ge=16, le=1 << 20)] = 256
    """MiB."""
    processes: Annotated[int, Meta(ge=1, le=4096)] = 64
    """Processes and threads."""
    files: Annotated[int, Meta(ge=16, le=1 << 16)] = 256
    """Open at once, in each process."""
    tmp: Annotated[int, Meta(ge=1, le=1 << 16)] = 32
    """MiB of files in its own /tmp."""
    entries: Annotated[int, Meta(ge=16, le=1 << 22)] = 20_000
    """Files and folders in its own /tmp."""
