"""The lock of a run: one process writes it, and whoever comes second is told which."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.store.database import BadRun

FILE: Final = "run.lock"


class Locked(BadRun):
    """A run that another process writes."""


class Lock:
    """Held from its making until it is closed, or its process ends in whatever way."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        try:
            self.descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise BadRun(f"{self.file} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self.descriptor, 0)
            with suppress(OSError):  # on a full disk it is held, but does not say by whom
                os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self.descriptor, 20, 0).decode(errors="replace").strip()
            self.close()
            raise Locked(
                f"{folder}: this run is being played by process {holder or 'unknown'}; "
                "wait or stop it"
            ) from None
        except OSError as error:
            self.close()
            raise BadRun(f"{self.file} cannot be locked: {error.strerror}") from error
        os.register_at_fork(after_in_child=self.close)  # else a child would hold it as well

    def close(self) -> None:
        """Let another process write."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
