"""What a build has printed, as people are shown it."""

import re
from collections import deque
from pathlib import Path
from typing import IO

from arena.printable import printable, short

SHOWN = 20
"""Lines of a failed build's output that are shown: as many from its beginning as from its end."""

PIECE = 1 << 16
"""Bytes after which a line is taken to be one, whether it ends there or not."""

CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""What colours a terminal."""


def shown(printed: IO[bytes], place: Path, folder: Path) -> str:
    """The beginning and the end of what was printed, with a bot's folder for where it was built."""
    printed.seek(0)
    half = SHOWN // 2
    first: list[bytes] = []
    last: deque[bytes] = deque(maxlen=half)
    left_out = 0
    while line := printed.readline(PIECE):
        if len(first) < half:
            first.append(line)
        else:
            left_out += len(last) == half
            last.append(line)
    begin, end = ([readable(line, place, folder) for line in part] for part in (first, last))
    gap = [f"... ({left_out} lines) ..."] if left_out else []
    return "\n".join([*begin, *gap, *end]) or "(it printed nothing)"


def readable(line: bytes, place: Path, folder: Path) -> str:
    """One line."""
    text = CONTROL.sub("", line.decode(errors="replace")).rstrip().expandtabs()
    text = re.sub(rf"(?<![\w/.-]){re.escape(str(place))}(?![\w.-])", lambda _: str(folder), text)
    return printable(short(text))
