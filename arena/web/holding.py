"""Who serves a ladder: one process at a time, so that none works on what another one has."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.errors import ArenaError

FILE: Final = "serve.lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a ladder as its server until this ends, or the process does in whatever way."""
    file = folder / FILE
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ArenaError(f"{file} cannot be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            raise ArenaError(
                f"{folder}: this ladder is served by process {holder} already; end it first"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
