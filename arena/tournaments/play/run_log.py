"""Write the log of all processes of a run to one file, and show warnings on the screen."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import ArenaError
from arena.sanitize import cut_middle, escape_unprintable

LOG_FILE_NAME = "log.txt"
MAX_LINE_LENGTH = 2000
"""Characters of a line."""


TRACEBACK_START = "\nTraceback (most recent call last):"


class OneLineFormatter(logging.Formatter):
    """A record as one line; below it stands at most a traceback, indented, which is no record."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback if there is one."""
        said, begun, trace = super().format(record).partition(TRACEBACK_START)
        lines = (begun + trace).splitlines()[1:]
        return "\n".join(
            [
                cut_middle(escape_unprintable(said), MAX_LINE_LENGTH),
                *(f"    {escape_unprintable(x)}" for x in lines),
            ]
        )


class LogFileHandler(logging.FileHandler):
    """A file for what is logged; what it has no room for is lost."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Keep quiet: the run itself says soon enough that the disk is full."""


@contextmanager
def log_to_file(path: Path, screen_handler: logging.Handler | None = None) -> Iterator[None]:
    """Write what is logged into a file, and hand warnings to the screen."""
    try:
        file = LogFileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}") from error
    file.setFormatter(OneLineFormatter("%(asctime)s %(levelname)s %(processName)s: %(message)s"))
    handlers: list[logging.Handler] = [file]
    if screen_handler:
        screen_handler.setLevel(logging.WARNING)
        handlers.append(screen_handler)
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
