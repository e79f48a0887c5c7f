"""`arena standings`: who is how strong, and how sure that is."""

from pathlib import Path

import click
from msgspec import UNSET
from msgspec.structs import replace
from rich.console import Console

from arena.cli import export, matrix, panels, ranking, remarks, selection
from arena.cli.output import Screen, print_json
from arena.cli.selection import Form
from arena.ratings import panels as ratings
from arena.ratings.standings import Division, Standings, assemble
from arena.report.sheets import standings_sheet
from arena.store.run import Run


@click.command(short_help="Show how the bots of a run stand.")
@selection.run_argument
@selection.cell_options
@click.option(
    "--by",
    type=click.Choice(["variant", "seats", "cell"]),
    help="Each variant by itself, each size of table, or each of both.",
)
@selection.form_options
@click.option(
    "--times", is_flag=True, help="CPU time in JSON and CSV too, though no two runs have the same."
)
@click.option("--audit", is_flag=True, help="Check the intervals by resampling blocks.")
@click.option("--bias", is_flag=True, help="What a seat is worth, and who sits on the left.")
@click.option("--spread", is_flag=True, help="How points and placements scatter.")
def standings(  # noqa: PLR0913 (one for each option)
    *,
    run: Path | None,
    variants: tuple[str, ...],
    seats: tuple[int, ...],
    by: Division | None,
    form: Form | None,
    times: bool,
    audit: bool,
    bias: bool,
    spread: bool,
) -> None:
    """Show how the bots of RUN stand, also while it goes on.

    RUN is the folder of a run; it can be left out if there is only one under runs. Ranks follow
    mu, the rating by TrueSkill. All is worked out from the games each time.
    """
    with Run.open(selection.folder(run)) as opened:
        roster = opened.roster()
        cells = selection.cells(opened, variants, seats)
        results = selection.results(opened, cells)
        seatings = [opened.seatings(cell) for cell in cells] if bias or spread else []
    found = assemble(roster, results, by=by or "cell", times=times or form in {None, "markdown"})
    if audit:
        audits = tuple(ratings.audited(roster, each) for each in results.values())
        found = replace(found, audit=audits)
    if bias:
        found = replace(found, bias=tuple(ratings.biased(roster, each) for each in seatings))
    if spread:
        order = [line.bot for line in found.overall.lines]
        spreads = tuple(ratings.scattered(roster, each, order) for each in seatings)
        found = replace(found, spread=spreads)
    if form == "json":
        print_json(found)
    elif form == "csv":
        click.echo(standings_sheet(found, parts=by is not None, times=times), nl=False)
    elif form == "markdown":
        click.echo(export.matrix(found) if by else export.table(found), nl=False)
    else:
        show(Screen(), found, by)


def show(console: Console, found: Standings, by: Division | None) -> None:
    """Print it for a person."""
    if not found.overall.blocks:
        remarks.say(console, remarks.nothing(found.name))
        return
    if by:
        matrix.show(console, found)
    else:
        ranking.show(console, found, found.overall)
    if found.audit is not UNSET:
        panels.show_audit(console, found.audit)
    if found.bias is not UNSET:
        panels.show_bias(console, found.bias)
    if found.spread is not UNSET:
        panels.show_spread(console, found.spread)
