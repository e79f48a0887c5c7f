"""The journal of a run: what all its processes log, in one file; warnings are also shown."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import ArenaError
from arena.printable import escaped, short

FILE = "log.txt"
LONGEST = 2000
"""Characters of a line."""


TRACEBACK = "\nTraceback (most recent call last):"


class Line(logging.Formatter):
    """A record as one line; below it stands at most a traceback, indented, which is no record."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback if there is one."""
        said, begun, trace = super().format(record).partition(TRACEBACK)
        lines = (begun + trace).splitlines()[1:]
        return "\n".join([short(escaped(said), LONGEST), *(f"    {escaped(x)}" for x in lines)])


class File(logging.FileHandler):
    """A file for what is logged; what it has no room for is lost."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Keep quiet: the run itself says soon enough that the disk is full."""


@contextmanager
def journal(place: Path, screen: logging.Handler | None = None) -> Iterator[None]:
    """Write what is logged into a file, and hand warnings to the screen."""
    try:
        file = File(place, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ArenaError(f"{place} cannot be written: {error.strerror}") from error
    file.setFormatter(Line("%(asctime)s %(levelname)s %(processName)s: %(message)s"))
    handlers: list[logging.Handler] = [file]
    if screen:
        screen.setLevel(logging.WARNING)
        handlers.append(screen)
    ours = logging.getLogger("arena")
    ours.setLevel(logging.INFO)
    ours.propagate = False
    for handler in handlers:
        ours.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            ours.removeHandler(handler)
            with suppress(OSError):  # what the file has no room for is lost
                handler.close()
        ours.propagate = True
