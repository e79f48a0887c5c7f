"""The command `arena variants`: list all variants."""

import click
from msgspec import Struct
from rich.text import Text

from arena.cli.output import SafeConsole, print_json, print_paragraph
from arena.games.catalog import VARIANTS
from arena.games.rules_text import TableSetup, table_setups


class VariantListing(Struct, frozen=True):
    """A variant as `--json` lists it."""

    variant: str
    modifiers: tuple[str, ...]
    title: str
    summary: str
    tables: tuple[TableSetup, ...]


@click.command(short_help="List all variants.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array, for programs.")
def variants(*, as_json: bool) -> None:
    """List all variants, with a sentence on each.

    Beside its name stand the number of players, the rounds, and the tricks in a round.
    """
    if as_json:
        listings = [
            VariantListing(
                variant.name,
                variant.modifiers,
                variant.title,
                variant.summary,
                table_setups(variant),
            )
            for variant in VARIANTS.values()
        ]
        print_json(listings)
        return
    console = SafeConsole()
    for variant in VARIANTS.values():
        rows = table_setups(variant)
        facts = (
            f"{variant.seats[0]}–{variant.seats[-1]} players",
            counts_text({row.seats: row.rounds for row in rows}, "rounds"),
            counts_text({row.seats: row.tricks for row in rows}, "tricks"),
        )
        line = " · ".join(facts)
        gap = "  " if len(variant.name) + 2 + len(line) <= console.width else "\n    "
        console.print(Text.assemble((variant.name, "bold"), gap, (line, "cyan")))
        print_paragraph(console, variant.summary, indent=4)
    console.print(
        Text.assemble(
            f"\n{len(VARIANTS)} variants. The rules of one: ", ("arena rules VARIANT", "bold")
        )
    )


def counts_text(numbers: dict[int, int | None], noun: str) -> str:
    """The numbers for each number of players in a short text."""
    values = list(numbers.values())
    if None in values:
        return f"{noun} until somebody has finished"
    if values == list(numbers):
        return f"as many {noun} as players"
    usual = max(values, key=lambda value: (values.count(value), value or 0))
    others = [f"{value} with {seats}" for seats, value in numbers.items() if value != usual]
    return f"{usual} {noun}" + (f" ({', '.join(others)})" if others else "")
