"""What strangers wrote, made harmless: one function for each kind of output."""

import json
import re

import msgspec
from rich.text import Text

from arena.printable import escaped, printable, short

__all__ = ["file_name", "markdown", "printable", "safe", "sentence", "spreadsheet", "to_json"]

FORMULA = tuple("=+-@＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula, also as wide signs."""

SYNTAX = re.compile(r"[\\`*_{}\[\]<>()#|~$!&:@]|(?<=www)\.", re.IGNORECASE)
"""What means something in Markdown, or makes a link of an address."""

LONGEST_SENTENCE = 2000
"""Characters of each line of an error: a command of many bots may have that many."""

MOST_LINES = 40
"""Lines of an error, such as the output of a build."""

LONGEST_NAME = 40


def safe(text: str, style: str = "") -> Text:
    """For a terminal: no escape sequence and no markup in the text has any effect."""
    return Text(printable(text), style)


def sentence(error: str) -> str:
    """An error: below it, set apart from what else is printed, what it quotes in further lines."""
    first, *rest = (short(printable(line), LONGEST_SENTENCE) for line in error.split("\n"))
    if len(rest) > MOST_LINES:
        rest = [*rest[:MOST_LINES], "..."]
    return "\n".join([first, *(f"  {line}" for line in rest)])


def spreadsheet(text: str) -> str:
    """A cell of a CSV file: a text that would be a formula begins with an apostrophe."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown


def markdown(text: str) -> str:
    """A text in one line of Markdown, which shows it as it is."""
    return SYNTAX.sub(r"\\\g<0>", printable(text))


def to_json(thing: object) -> str:
    """JSON in one line, in which what would not show is escaped: it can be read at a terminal."""
    try:
        encoded = msgspec.json.encode(thing)
    except UnicodeEncodeError:  # half a character, as in the name of a file that is not UTF-8
        plain = json.dumps(msgspec.to_builtins(thing), ensure_ascii=False, separators=(",", ":"))
        encoded = plain.encode(errors="replace")
    return escaped(encoded.decode())


def file_name(name: str) -> str:
    """Part of a file's name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LONGEST_NAME]
