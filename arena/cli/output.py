"""Output: paragraphs that fit the terminal, and JSON for programs."""

from collections.abc import Iterable
from textwrap import fill
from typing import NoReturn

import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from arena.cli.untrusted import printable, to_json

WIDEST = 100
NARROWEST = 20


class Screen(Console):
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


def paragraph(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, each line indented by so many spaces."""
    margin = " " * indent
    width = max(NARROWEST, min(console.width, WIDEST))
    lines = fill(printable(text), width, initial_indent=margin, subsequent_indent=margin)
    console.print(lines, style=style)


def hanging(console: Console, lead: Text, text: Text) -> None:
    """Print a text behind its lead, with all its lines, so that none passes for one of ours."""
    room = max(NARROWEST, console.width - lead.cell_len)
    margin = Text(" " * lead.cell_len)
    for number, line in enumerate(text.wrap(console, room, overflow="fold")):
        line.rstrip()
        console.print((margin if number else lead) + line, soft_wrap=True)


def print_json(thing: object) -> None:
    """Print a Struct, or a list of them, as indented JSON."""
    click.echo(msgspec.json.format(to_json(thing)))
