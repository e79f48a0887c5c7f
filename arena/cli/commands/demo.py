"""The command `arena demo`: play a small tournament and show the standings."""

import shlex
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from arena.cli.commands.run import exit_with_status, play_tournament, print_result
from arena.tournaments.config.tournament import load_tournament


@click.command(short_help="Play a small tournament.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the run in this folder; by default it is gone afterwards.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Cores to play on; by default all.")
def demo(out: Path | None, workers: int | None) -> None:
    """Play a small tournament between bots that come with it, and show the standings.

    Every bot is a process of its own, every deal is played in several seatings, and all cores have
    work. With --out every game can be looked at afterwards.
    """
    with (
        as_file(files("arena.tournaments") / "demo.yaml") as file,
        TemporaryDirectory(prefix="stichkampf-") as temporary,
    ):
        folder = out or Path(temporary) / "demo"
        result = play_tournament(load_tournament(file), folder, workers)
        command = ["arena", "demo", *(("--out", str(out)) if out else ())]
        print_result(result, shlex.join(command))
    if not out:
        click.echo("The games are gone; with --out FOLDER they stay. Next: arena new my-bot")
    exit_with_status(result)
