"""Print text and JSON so that text from bots cannot control the terminal."""

import re
from collections.abc import Iterable
from textwrap import fill
from typing import NoReturn

import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from arena.sanitize import cut_middle, printable, to_json

MARKDOWN_SYNTAX = re.compile(r"[\\`*_{}\[\]<>()#|~$!&:@]|(?<=www)\.", re.IGNORECASE)
"""What means something in Markdown, or makes a link of an address."""

MAX_LINE_LENGTH = 2000
"""Characters of each line of an error: a command of many bots may have that many."""

MAX_LINES = 40
"""Lines of an error, such as the output of a build."""


def safe_text(text: str, style: str = "") -> Text:
    """For a terminal: no escape sequence and no markup in the text has any effect."""
    return Text(printable(text), style)


def error_text(error: str) -> str:
    """An error: below it, set apart from what else is printed, what it quotes in further lines."""
    first, *rest = (cut_middle(printable(line), MAX_LINE_LENGTH) for line in error.split("\n"))
    if len(rest) > MAX_LINES:
        rest = [*rest[:MAX_LINES], "..."]
    return "\n".join([first, *(f"  {line}" for line in rest)])


def escape_markdown(text: str) -> str:
    """A text in one line of Markdown, which shows it as it is."""
    return MARKDOWN_SYNTAX.sub(r"\\\g<0>", printable(text))


MAX_WIDTH = 100
MIN_WIDTH = 20


class SafeConsole(Console):
    """Where everything is printed: as it is, with no guesses at what a text may mean."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """What is printed; only rich itself, which colours it, has a say over the terminal."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            if control or text.isprintable() or text.replace("\n", "").isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(printable, text.split("\n"))), style)

    def on_broken_pipe(self) -> NoReturn:
        """Nobody reads any more."""
        raise BrokenPipeError


def print_paragraph(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, each line indented by so many spaces."""
    margin = " " * indent
    width = max(MIN_WIDTH, min(console.width, MAX_WIDTH))
    lines = fill(printable(text), width, initial_indent=margin, subsequent_indent=margin)
    console.print(lines, style=style)


def print_hanging(console: Console, lead: Text, text: Text) -> None:
    """Print a text behind its lead, with all its lines, so that none passes for one of ours."""
    room = max(MIN_WIDTH, console.width - lead.cell_len)
    margin = Text(" " * lead.cell_len)
    for number, line in enumerate(text.wrap(console, room, overflow="fold")):
        line.rstrip()
        console.print((margin if number else lead) + line, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a Struct, or a list of them, as indented JSON."""
    click.echo(msgspec.json.format(to_json(value)))
