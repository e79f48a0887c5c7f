"""Texts that would harm who reads them, a bot that says them, and what may be seen of that."""

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.cells import cell_len

HOSTILE_TEXTS = {
    "clears the screen": "\x1b[2J\x1b[H\x1bc",
    "colours that are none of ours": "\x1b[5;41;97mBLINK\x1b[0m",
    "C1 controls": "\x9b2J\x9d0;title\x9c\x90q\x85FORGED",
    "a link": "\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    "a title and a bell": "\x1b]0;title\x07\b\b\b\x7f\0",
    "the other direction": "\u202elive\u202c\u2066x\u2069\u200f\u061c",
    "nothing to be seen": "a\u200b\u200d\ufeff\u00ad\u2060\u034f\u3164\ufe0f\U000e0041b",
    "further lines": "x\nFORGED\r\nFORGED\rFORGED\vFORGED\fFORGED\u2028FORGED\u2029FORGED",
    "markup": "[red]x[/] [/] [link=http://evil.example]y[/link] :smile:",
    "a formula": "=cmd|' /C calc'!A0",
    "another formula": "\t@SUM(1)",
    "Markdown": '| `a` | [x](http://evil.example) <b onclick="x">h</b> www.evil.example',
    "quotes": '"\',\\";',
    "towers": "Z" + "\u0301" * 50,
    "a very long word": "W" * 3000,
    "a line that would wrap": "FORGED " * 100,
}
SHORT_HOSTILE_TEXTS = [text for text in HOSTILE_TEXTS.values() if len(text) < 200]
HOSTILE_FILE_NAME = "=x\x1b[2J\n[red]FORGED :smile:\u202e\x9b"
"""Of a bot or a folder."""

BOT = r"""
import json, sys

TEXTS = %r
out, err = sys.stdout.buffer, sys.stderr.buffer
everything = "".join(TEXTS)


def say(message):
    out.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    out.flush()


say({"type": "ready", "name": everything, "version": everything})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        said = 0
        err.write(b"\xff\n" + "\n".join(TEXTS).encode() + b"\nFORGED\n")
        err.flush()
    elif message["type"] == "decide":
        said += 1
        text = TEXTS[said %% len(TEXTS)]
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        if said == 2:
            say({**answer, "choice": everything})
        elif said == 4:
            out.write(everything.replace("\n", "").encode() + b"\xff\x1b[2J\n")
            out.flush()
        elif said == 6:
            say({"type": everything})
        elif said == 8:
            say({**answer, "choice": text})
        else:
            say({**answer, "note": text})
"""

OURS = re.compile(r"\x1b\[(?:[0-9;]*m|[0-9]*[ABCDGK]|\?25[lh])")
"""What rich writes to a terminal: colours, movements of the cursor, and whether it shows."""

COLUMNS = 80


def write_bot(file: Path, texts: Sequence[str] = tuple(HOSTILE_TEXTS.values())) -> Path:
    """The bot as a script."""
    file.write_text(BOT % list(texts), encoding="utf-8")
    return file


def command(words: Sequence[object]) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "arena", *map(str, words)]


def run_piped(words: Sequence[object], folder: Path) -> tuple[str, str]:
    """Run a command and return its stdout and stderr."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        command(words), capture_output=True, check=False, cwd=folder, env=environment
    )
    return done.stdout.decode(), done.stderr.decode()


def run_on_terminal(words: Sequence[object], folder: Path) -> str:
    """Run a command on a terminal and return what it shows."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    hidden = ("COLUMNS", "LINES", "NO_COLOR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    shown = b""
    with subprocess.Popen(
        command(words),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment | {"TERM": "xterm-256color"},
    ):
        os.close(theirs)
        with suppress(OSError):
            while said := os.read(ours, 65536):
                shown += said
    os.close(ours)
    return shown.decode()


def check_harmless(shown: str, *, terminal: bool = False) -> str:
    """No character does anything, and no line is forged; the text without what is ours."""
    if terminal:
        assert "\x1b[5;41" not in shown
        shown = OURS.sub("", shown).replace("\r\n", "\n").replace("\r", "\n")
    assert "Traceback" not in shown
    wrong = {letter for letter in shown if letter != "\n" and not letter.isprintable()}
    assert not wrong
    assert not set("\u034f\u3164\ufe0f") & set(shown)
    assert "\u0301" * 4 not in shown
    for line in shown.split("\n"):
        assert not line.startswith("FORGED")
        if terminal and "FORGED FORGED" in line and not json_line(line):
            assert cell_len(line) <= COLUMNS
    return shown


def json_line(line: str) -> bool:
    """Whether it is one for programs, which is as long as it is."""
    return line.lstrip().startswith(("{", '"'))


def strings_in(found: object) -> list[str]:
    """Return all texts in a JSON value."""
    if isinstance(found, dict):
        return [text for value in found.values() for text in strings_in(value)]
    if isinstance(found, list):
        return [text for value in found for text in strings_in(value)]
    return [found] if isinstance(found, str) else []


def read_json(shown: str) -> object:
    """What one JSON value, or one on each line, holds; it could be written anywhere."""
    try:
        found = json.loads(shown)
    except ValueError:
        found = [json.loads(line) for line in shown.splitlines()]
    json.dumps(found, ensure_ascii=False).encode()
    return found
