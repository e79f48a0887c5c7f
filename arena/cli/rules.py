"""`arena rules`: the rules of one variant, in words."""

from collections.abc import Iterable

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.completion import variant_names
from arena.cli.output import Screen, paragraph, print_json
from arena.games.base import Term
from arena.games.catalog import variant
from arena.games.rulebook import Row, Rulebook, rulebook

HOUSE = "⌂"


@click.command(short_help="Print the rules of a variant.")
@click.argument("name", metavar="VARIANT", shell_complete=variant_names)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def rules(name: str, *, as_json: bool) -> None:
    """Print the rules of VARIANT, such as sticheln+mild+hazy.

    They are put together from the functions the program plays by, so that they are what it does.
    """
    book = rulebook(variant(name))
    if as_json:
        print_json(book)
    else:
        show(book, Screen())


def show(book: Rulebook, console: Console) -> None:
    """The rules for a person to read."""
    console.print(Text.assemble((book.title, "bold"), f"  ({book.variant})"))
    paragraph(console, book.summary)
    console.print()
    console.print(sizes(book.tables))
    used = {colour for row in book.tables for colour in row.colours}
    legend = [f"{letter} {colour}" for letter, colour in COLOURS.items() if colour in used]
    paragraph(console, ", ".join(legend), style="dim")
    for rule in book.rules:
        by = f"  {' '.join(rule.changed_by)}" if rule.changed_by else ""
        console.print(Text.assemble("\n", (rule.title, "bold"), (by, "magenta")))
        paragraph(console, rule.text, indent=2)
        rulings(console, rule.house)
        terms = [term for term in book.terms if term.axis == rule.axis]
        if terms:
            console.print(Padding(glossary(terms), (1, 0, 0, 2), expand=False))
    console.print(Text("\nIn general", "bold"))
    rulings(console, book.house)
    console.print(Text(f"\n{HOUSE} A house ruling: no printed rule settles it.", "yellow"))


def rulings(console: Console, sentences: Iterable[str]) -> None:
    """House rulings, marked as such."""
    for sentence in sentences:
        paragraph(console, f"{HOUSE} {sentence}", indent=2, style="yellow")


def sizes(rows: Iterable[Row]) -> Table:
    """What each number of players plays with."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="cyan")
    for column in ("players", "cards", "each", "left", "tricks", "rounds"):
        table.add_column(column, justify="right")
    table.add_column("deck")
    for row in rows:
        low, high = row.numbers
        letters = "".join(letter for letter in COLOURS if COLOURS[letter] in row.colours)
        facts = (row.seats, row.cards, row.hand, row.left_over, row.tricks, row.rounds or "open")
        table.add_row(*map(str, facts), f"{letters} {low}–{high}")
    return table


def glossary(terms: Iterable[Term]) -> Table:
    """The terms beside a rule."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column("name")
    table.add_column("to fulfil it")
    table.add_column("value in a tie", justify="right")
    for term in terms:
        table.add_row(term.name, term.text, str(term.value))
    return table
