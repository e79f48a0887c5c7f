"""The command `arena ladder show`: print the standings of a ladder."""

from pathlib import Path

import click
from msgspec.structs import replace

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli import standings_view
from arena.cli.options import ladder_argument
from arena.cli.output import SafeConsole, print_json
from arena.ladder import standings as ladder_standings
from arena.ladder.folder import upgrade_ladder
from arena.ladder.registry import Registry
from arena.ladder.settings import load
from arena.ratings.overall import RatedCell
from arena.ratings.standings import Grouping, Standings, StandingsTable, build_table, group_cells
from arena.sanitize import printable
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
def show(*, folder: Path, by: Grouping | None, best: int | None, as_json: bool) -> None:
    """Show the standings of the ladder in DIR, from all its games as they are now."""
    settings = load(folder, SandboxLevel.NONE)
    console = SafeConsole()
    upgrade_ladder(folder)
    with Registry.open_read_only(folder) as registry, Run.open(folder) as run:
        active = {one.bot for one in registry.active_versions()}
        counted = registry.counted_cells()
        cells = ladder_standings.cell_ratings(run, settings.cells)
        roster = run.roster()

        def table(title: str, some: list[RatedCell]) -> StandingsTable:
            found = build_table(title, some, roster.bots, times=True, only=active, counted=counted)
            return replace(found, lines=found.lines[:best])

        parts = group_cells(cells, by) if by else {}
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
        standings_view.show_table(console, standings, shown, legend=shown is standings.overall)
