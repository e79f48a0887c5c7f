"""The command `arena rules`: print the rules of a variant."""

from collections.abc import Iterable

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.completion import complete_variant
from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.games.base import Term
from arena.games.catalog import variant
from arena.games.rules_text import Rulebook, TableSetup, rulebook

HOUSE_RULE_MARK = "⌂"


@click.command(short_help="Print the rules of a variant.")
@click.argument("name", metavar="VARIANT", shell_complete=complete_variant)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def rules(name: str, *, as_json: bool) -> None:
    """Print the rules of VARIANT, such as sticheln+mild+hazy.

    They are put together from the functions the program plays by, so that they are what it does.
    """
    book = rulebook(variant(name))
    if as_json:
        print_json(book)
    else:
        show_rules(book, SafeConsole())


def show_rules(book: Rulebook, console: Console) -> None:
    """Print the rules for a person."""
    console.print(Text.assemble((book.title, "bold"), f"  ({book.variant})"))
    print_paragraph(console, book.summary)
    console.print()
    console.print(sizes_table(book.tables))
    used = {colour for row in book.tables for colour in row.colours}
    legend = [f"{letter} {colour}" for letter, colour in COLOURS.items() if colour in used]
    print_paragraph(console, ", ".join(legend), style="dim")
    for rule in book.rules:
        modifiers = f"  {' '.join(rule.changed_by)}" if rule.changed_by else ""
        console.print(Text.assemble("\n", (rule.title, "bold"), (modifiers, "magenta")))
        print_paragraph(console, rule.text, indent=2)
        print_house_rules(console, rule.house)
        terms = [term for term in book.terms if term.axis == rule.axis]
        if terms:
            console.print(Padding(terms_table(terms), (1, 0, 0, 2), expand=False))
    console.print(Text("\nIn general", "bold"))
    print_house_rules(console, book.house)
    console.print(
        Text(f"\n{HOUSE_RULE_MARK} A house ruling: no printed rule settles it.", "yellow")
    )


def print_house_rules(console: Console, sentences: Iterable[str]) -> None:
    """Print house rulings, marked as such."""
    for sentence in sentences:
        print_paragraph(console, f"{HOUSE_RULE_MARK} {sentence}", indent=2, style="yellow")


def sizes_table(rows: Iterable[TableSetup]) -> Table:
    """The cards, tricks and rounds for each number of players."""
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


def terms_table(terms: Iterable[Term]) -> Table:
    """The terms beside a rule."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column("name")
    table.add_column("to fulfil it")
    table.add_column("value in a tie", justify="right")
    for term in terms:
        table.add_row(term.name, term.text, str(term.value))
    return table
