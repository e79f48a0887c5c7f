"""Locks on files and folders between processes."""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

LOCK_FILE_FLAGS: Final = os.O_RDWR | os.O_CREAT
"""On NFS only a file that is opened for writing can be locked exclusively."""

MAX_PID_BYTES: Final = 20


class LockHeld(BlockingIOError):
    """A lock that another process holds, or this one already; `holder` is its process id."""

    def __init__(self, file: Path, holder: str) -> None:
        super().__init__(errno.EWOULDBLOCK, f"it is locked by process {holder}", str(file))
        self.holder = holder


class FileLock:
    """A lock on a file or folder, held until it is closed or its process ends in whatever way.

    Without `create_mode` the file or folder exists for other reasons and is left as it is. With it,
    the file serves as a lock: it is created with these permissions if it is missing, and the
    process that holds it alone writes its id into it. If the lock is not free, wait for it, or
    raise LockHeld. Programs that are started do not inherit the lock; a forked child inherits it
    only if it is shared.
    """

    def __init__(
        self,
        file: Path,
        *,
        create_mode: int | None = None,
        shared: bool = False,
        wait: bool = False,
    ) -> None:
        flags = os.O_RDONLY if create_mode is None else LOCK_FILE_FLAGS
        self.descriptor = os.open(file, flags | os.O_NOFOLLOW, create_mode or 0)
        if not shared:
            exclusive_locks.add(self)
        try:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(self.descriptor, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = "" if create_mode is None else self.read_holder()
            self.close()
            raise LockHeld(file, holder or "unknown") from None
        except BaseException:
            self.close()
            raise
        if create_mode is not None and not shared:
            self.write_holder()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock; a second call does nothing."""
        exclusive_locks.discard(self)
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def read_holder(self) -> str:
        """Return what the process that holds the lock has written into the file."""
        return os.pread(self.descriptor, MAX_PID_BYTES, 0).decode(errors="replace").strip()

    def write_holder(self) -> None:
        """Write the id of this process into the file."""
        with suppress(OSError):  # on a full disk the lock is held, but does not name its holder
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)


exclusive_locks: Final[set[FileLock]] = set()
"""Those that this process holds or waits for."""


def close_inherited_locks() -> None:
    """Close the exclusive locks in a forked child, which would go on holding them otherwise."""
    for lock in list(exclusive_locks):
        lock.close()


os.register_at_fork(after_in_child=close_inherited_locks)
