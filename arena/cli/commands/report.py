"""The command `arena report`: write a static site about a run."""

import webbrowser
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli import run_options
from arena.cli.output import SafeConsole, print_json
from arena.report.build import BuiltReport, build_report, resolve_target
from arena.report.data.survey import survey_run
from arena.sanitize import printable
from arena.store.run import Run


@click.command(short_help="Make a site about a run, with replays.")
@run_options.run_argument
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("site"),
    show_default=True,
    help="The folder to write; a report that is there is replaced.",
)
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.option("--json", "as_json", is_flag=True, help="Say what was written as JSON.")
def report(*, run: Path | None, out: Path, opens: bool, quiet: bool, as_json: bool) -> None:
    """Write a site about RUN: standings, plots, every bot, and every game card by card.

    RUN is the folder of a run; it can be left out if there is only one under runs. The site needs
    no server and no network: open its index.html, or copy the folder to any web server. It can be
    made while the run goes on, and made again.
    """
    resolve_target(out)
    with Run.open(run_options.run_folder(run)) as opened:
        built = write_site(opened, out, is_silent=quiet or as_json)
    front = out / "index.html"
    if as_json:
        print_json({"index": str(front), "files": built.files, "bytes": built.size})
    elif not quiet:
        click.echo(f"{printable(str(front))}: {built.files:,} files, {size_text(built.size)}")
    if opens and not webbrowser.open(front.resolve().as_uri()):
        click.echo("No browser was found; open it yourself.", err=True)


def write_site(run: Run, out: Path, *, is_silent: bool) -> BuiltReport:
    """Write the site; how far it is shows on a terminal."""
    aside = SafeConsole(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    silent = is_silent or not aside.is_terminal
    with Progress(*columns, console=aside, transient=True, disable=silent) as progress:
        task = progress.add_task("reading", total=None)
        found = survey_run(run, lambda what: progress.update(task, description=what))
        progress.update(task, description="writing")
        return build_report(
            run, found, out, lambda done, total: progress.update(task, completed=done, total=total)
        )


def size_text(size: int) -> str:
    """A size as people say it."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.0f} kB"
