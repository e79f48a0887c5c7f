"""Print text, paragraphs and JSON; text from bots cannot control the terminal."""

import re
from collections.abc import Iterable, Iterator
from textwrap import fill
from typing import NoReturn

import click
import msgspec
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from arena.sanitize import cut_middle, printable, to_json

MARKDOWN_SYNTAX = re.compile(r"[\\`*_{}\[\]<>()#|~$!&:@]|(?<=www)\.", re.IGNORECASE)
"""Characters that have a meaning in Markdown, or that make an address a link."""

MAX_LINE_LENGTH = 2000
"""Characters of each line of an error: a command of many bots may have that many."""

MAX_LINES = 40
"""Lines of an error, such as the output of a build."""

MIN_WIDTH, MAX_WIDTH = 20, 100
"""Columns of a paragraph."""

NBSP = "\u00a0"
"""A space at which no line is broken; a line shows it as an ordinary space."""


class SafeConsole(Console):
    """A console without markup that makes every text printable before it reaches the terminal."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments to print; only control sequences of rich itself are kept."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            if control or text.isprintable() or text.replace("\n", "").isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(printable, text.split("\n"))), style)

    def on_broken_pipe(self) -> NoReturn:
        """Raise an error when the reader of the output is gone; `main` sets the exit status."""
        raise BrokenPipeError


def safe_text(text: str, style: str = "") -> Text:
    """A text for a terminal: escape sequences and markup in it have no effect."""
    return Text(printable(text), style)


def error_text(error: str) -> str:
    """The text of an error; the lines that it quotes are indented and limited in number."""
    first, *rest = (cut_middle(printable(line), MAX_LINE_LENGTH) for line in error.split("\n"))
    if len(rest) > MAX_LINES:
        rest = [*rest[:MAX_LINES], "..."]
    return "\n".join([first, *(f"  {line}" for line in rest)])


def escape_markdown(text: str) -> str:
    """A text in one line of Markdown, which shows it as it is."""
    return MARKDOWN_SYNTAX.sub(r"\\\g<0>", printable(text))


def print_paragraph(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, each line indented by so many spaces."""
    margin = " " * indent
    lines = fill(
        printable(text), paragraph_width(console), initial_indent=margin, subsequent_indent=margin
    )
    console.print(lines, style=style)


def print_remark(console: Console, text: str, style: str = "") -> None:
    """Print a paragraph of printable text, in which `NBSP` keeps words together."""
    print_lines(
        console,
        (
            Text(line.replace(NBSP, " "), style)
            for line in wrapped_lines(text, paragraph_width(console))
        ),
    )


def paragraph_width(console: Console) -> int:
    """The width of a paragraph in this terminal."""
    return max(MIN_WIDTH, min(console.width, MAX_WIDTH))


def wrapped_lines(text: str, width: int) -> Iterator[str]:
    """The text in lines of this many terminal cells; only a word longer than a line is cut."""
    words = []
    for word in text.split(" "):
        words += [word] if cell_len(word) <= width else word.split(NBSP)
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        *full, line = chop_cells(word, width) or [""]
        yield from full
    yield line


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    """Print lines as they are; the end of one that is too long is left out."""
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop")


def print_hanging(console: Console, lead: Text, text: Text) -> None:
    """Print a text behind its lead, all lines indented, so that none looks like output of ours."""
    room = max(MIN_WIDTH, console.width - lead.cell_len)
    margin = Text(" " * lead.cell_len)
    for number, line in enumerate(text.wrap(console, room, overflow="fold")):
        line.rstrip()
        console.print((margin if number else lead) + line, soft_wrap=True)


def print_labelled(console: Console, label: str, text: str, style: str = "") -> None:
    """Print a long text of a bot behind its label.

    In a file it is one line, to be copied. A terminal would continue that line at the left margin,
    where the text could look like output of ours; there it is wrapped and indented.
    """
    lead = Text(f"{label:>9} ", "cyan")
    body = safe_text(cut_middle(text), style)
    if console.is_terminal:
        print_hanging(console, lead, body)
    else:
        console.print(lead + body, soft_wrap=True)


def print_warning(text: str, style: str = "yellow") -> None:
    """Print a warning to stderr, in one line."""
    SafeConsole(stderr=True).print(Text(text, style), soft_wrap=True)


def print_json(value: object) -> None:
    """Print a Struct, or a list of them, as indented JSON."""
    click.echo(msgspec.json.format(to_json(value)))
