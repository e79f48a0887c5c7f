"""The command `arena ladder show`: print the standings of a ladder."""

from pathlib import Path

import click

from arena.cli import standings_view
from arena.cli.options import ladder_argument
from arena.cli.output import SafeConsole, print_json
from arena.ladder.standings import load_ladder_standings
from arena.ratings.standings import Grouping
from arena.sanitize import printable


@click.command(short_help="Show how a ladder stands.")
@ladder_argument
@click.option(
    "--by",
    type=click.Choice(["variant", "seats", "cell"]),
    help="Also a table for each variant, number of seats, or both.",
)
@click.option("--best", type=click.IntRange(min=1), help="Only so many from the top.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def show(*, folder: Path, by: Grouping | None, best: int | None, as_json: bool) -> None:
    """Show the standings of the ladder in DIR, from all its games as they are now."""
    standings = load_ladder_standings(folder, by, best)
    overall = standings.overall
    if as_json:
        print_json(standings)
    elif not (overall.cells or overall.pending):
        click.echo(f"Nothing was played yet: arena ladder night {printable(str(folder))}")
    else:
        console = SafeConsole()
        for table in (overall, *standings.parts):
            standings_view.show_table(console, standings, table, legend=table is overall)
