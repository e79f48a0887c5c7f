"""What strangers wrote, made harmless: one function for each kind of output."""

import re

from rich.text import Text

from arena.printable import file_name, printable, short, spreadsheet, to_json

__all__ = ["file_name", "markdown", "printable", "safe", "sentence", "spreadsheet", "to_json"]

SYNTAX = re.compile(r"[\\`*_{}\[\]<>()#|~$!&:@]|(?<=www)\.", re.IGNORECASE)
"""What means something in Markdown, or makes a link of an address."""

LONGEST_SENTENCE = 2000
"""Characters of each line of an error: a command of many bots may have that many."""

MOST_LINES = 40
"""Lines of an error, such as the output of a build."""


def safe(text: str, style: str = "") -> Text:
    """For a terminal: no escape sequence and no markup in the text has any effect."""
    return Text(printable(text), style)


def sentence(error: str) -> str:
    """An error: below it, set apart from what else is printed, what it quotes in further lines."""
    first, *rest = (short(printable(line), LONGEST_SENTENCE) for line in error.split("\n"))
    if len(rest) > MOST_LINES:
        rest = [*rest[:MOST_LINES], "..."]
    return "\n".join([first, *(f"  {line}" for line in rest)])


def markdown(text: str) -> str:
    """A text in one line of Markdown, which shows it as it is."""
    return SYNTAX.sub(r"\\\g<0>", printable(text))
