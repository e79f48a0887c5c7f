"""The command `arena standings`: print the standings of a run."""

from pathlib import Path

import click
from msgspec import UNSET
from rich.console import Console

from arena.cli import panels, run_options, standings_view
from arena.cli.output import SafeConsole, print_json, print_remark
from arena.cli.run_options import OutputFormat
from arena.ratings.standings import Grouping, Standings
from arena.report.data.csv_export import standings_csv
from arena.store.run import Run
from arena.tournaments.play.live_standings import run_standings


@click.command(short_help="Show how the bots of a run stand.")
@run_options.run_argument
@run_options.cell_options
@click.option(
    "--by",
    type=click.Choice(["variant", "seats", "cell"]),
    help="Each variant by itself, each size of table, or each of both.",
)
@run_options.format_options
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
    by: Grouping | None,
    form: OutputFormat | None,
    times: bool,
    audit: bool,
    bias: bool,
    spread: bool,
) -> None:
    """Show how the bots of RUN stand, also while it goes on.

    RUN is the folder of a run; it can be left out if there is only one under runs. Ranks follow
    mu, the rating by TrueSkill. All is worked out from the games each time.
    """
    with Run.open(run_options.run_folder(run)) as opened:
        result = run_standings(
            opened,
            run_options.select_cells(opened, variants, seats),
            by=by or "cell",
            times=times or form in {None, "markdown"},
            audit=audit,
            bias=bias,
            spread=spread,
        )
    if form == "json":
        print_json(result)
    elif form == "csv":
        click.echo(standings_csv(result, parts=by is not None, times=times), nl=False)
    elif form == "markdown":
        click.echo(
            standings_view.matrix_markdown(result) if by else standings_view.table_markdown(result),
            nl=False,
        )
    else:
        show_standings(SafeConsole(), result, by)


def show_standings(console: Console, result: Standings, by: Grouping | None) -> None:
    """Print the standings and the panels for a person."""
    if not result.overall.blocks:
        print_remark(console, standings_view.no_blocks_text(result.name))
        return
    if by:
        standings_view.show_matrix(console, result)
    else:
        standings_view.show_table(console, result, result.overall)
    if result.audit is not UNSET:
        panels.show_audit(console, result.audit)
    if result.bias is not UNSET:
        panels.show_bias(console, result.bias)
    if result.spread is not UNSET:
        panels.show_spread(console, result.spread)
