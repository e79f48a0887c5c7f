"""The command `arena report`: write a static site about a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli import run_options
from arena.cli.commands.watch import open_browser
from arena.cli.output import SafeConsole, print_json
from arena.report.build import ProgressCallback, build_report, resolve_target
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
    resolve_target(out)  # a wrong folder is reported before a wrong run
    with (
        Run.open(run_options.run_folder(run)) as opened,
        report_progress(is_silent=quiet or as_json) as on_progress,
    ):
        built = build_report(opened, out, on_progress=on_progress)
    index = out / "index.html"
    if as_json:
        print_json({"index": str(index), "files": built.files, "bytes": built.size})
    elif not quiet:
        click.echo(f"{printable(str(index))}: {built.files:,} files, {size_text(built.size)}")
    if opens:
        open_browser(index.resolve().as_uri())


@contextmanager
def report_progress(*, is_silent: bool) -> Iterator[ProgressCallback]:
    """Show a progress bar on stderr, if that is a terminal."""
    console = SafeConsole(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    is_silent = is_silent or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_silent) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda step, done, total: progress.update(
            task, description=step, completed=done, total=total or None
        )


def size_text(size: int) -> str:
    """A size in MB or kB."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.0f} kB"
