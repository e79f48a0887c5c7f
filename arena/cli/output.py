"""Output: paragraphs that fit the terminal, and JSON for programs."""

from textwrap import fill
from typing import NoReturn

import click
import msgspec
from rich.console import Console

WIDEST = 100
NARROWEST = 20


class Screen(Console):
    """Where everything is printed: without guesses at what numbers mean."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> NoReturn:
        """Nobody reads any more."""
        raise BrokenPipeError


def paragraph(console: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, each line indented by so many spaces."""
    margin = " " * indent
    width = max(NARROWEST, min(console.width, WIDEST))
    lines = fill(text, width, initial_indent=margin, subsequent_indent=margin)
    console.print(lines, style=style, markup=False)


def print_json(thing: object) -> None:
    """Print a Struct, or a list of them, as indented JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(thing)).decode())
