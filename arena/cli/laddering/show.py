"""`arena ladder show`: how a ladder stands."""

from pathlib import Path

import click
from msgspec.structs import replace

from arena.bots.sandbox.level import Level
from arena.cli import ranking
from arena.cli.laddering.place import ladder_argument
from arena.cli.output import Screen, print_json
from arena.cli.untrusted import printable
from arena.ladder import reckoning
from arena.ladder.folder import bring_up_to_date
from arena.ladder.registry import Registry
from arena.ladder.settings import load
from arena.ratings.overall import Rated
from arena.ratings.standings import Division, Standings, Table, divide, tabulate
from arena.store.run import Run


@click.command(short_help="Show how a ladder stands.")
@ladder_argument
@click.option(
    "--by",
    type=click.Choice(["variant", "seats", "cell"]),
    help="Also a table for each variant, number of seats, or both.",
)
@click.option("--best", type=click.IntRange(min=1), help="Only so many from the top.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def show(*, folder: Path, by: Division | None, best: int | None, as_json: bool) -> None:
    """Show the standings of the ladder in DIR, from all its games as they are now."""
    settings = load(folder, Level.NONE)
    console = Screen()
    bring_up_to_date(folder)
    with Registry.look(folder) as registry, Run.open(folder) as run:
        active = {one.bot for one in registry.active()}
        counted = registry.counted()
        cells = reckoning.rated(run, settings.cells)
        roster = run.roster()

        def table(title: str, some: list[Rated]) -> Table:
            found = tabulate(title, some, roster.bots, times=True, only=active, counted=counted)
            return replace(found, lines=found.lines[:best])

        parts = divide(cells, by) if by else {}
        standings = Standings(
            name=roster.name,
            standing=roster.standing,
            anchors=roster.anchors,
            overall=table("overall", cells),
            by=by or "cell",
            parts=tuple(table(title, list(some)) for title, some in parts.items()),
        )
    if as_json:
        print_json(standings)
        return
    if not cells:
        console.print(f"Nothing was played yet: arena ladder night {printable(str(folder))}")
        return
    for shown in (standings.overall, *standings.parts):
        ranking.show(console, standings, shown, legend=shown is standings.overall)
