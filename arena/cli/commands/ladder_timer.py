"""The command `arena ladder timer`: schedule a ladder's nights with systemd or cron."""

import re
import shutil
from datetime import datetime
from pathlib import Path

import click

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.options import ladder_argument
from arena.errors import ArenaError
from arena.ladder.settings import load_settings, next_time_of_day, parse_duration
from arena.ladder.timer import crontab_line, install_timer, night_command, systemd_folder
from arena.sanitize import printable


@click.command(short_help="Play a ladder every night.")
@ladder_argument
@click.option("--at", default="02:00", show_default=True, help="When it begins.")
@click.option("--for", "length", metavar="TIME", help="How long it plays, such as 2h.")
@click.option("--until", metavar="HH:MM", help="Until when.")
@click.option("--cron", is_flag=True, help="Print a line for crontab instead.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the files for systemd go; by default where it looks for them.",
)
def timer(  # noqa: PLR0913 (one for each option)
    *,
    folder: Path,
    at: str,
    length: str | None,
    until: str | None,
    cron: bool,
    into: Path | None,
) -> None:
    """Write a systemd timer that plays the ladder in DIR every night, or print a crontab line.

    It begins at a time of day and lasts as ladder.yaml says, unless --for or --until do.
    """
    name = load_settings(folder, SandboxLevel.NONE).keys.name
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", at):
        raise ArenaError(f"--at takes a time of day such as 02:00, not {printable(at)!r}")
    options = []
    if length is not None and until is not None:
        raise ArenaError("say one of --for and --until")
    if length is not None:
        parse_duration(length)
        options = ["--for", length]
    elif until is not None:
        next_time_of_day(until, datetime.now().astimezone())
        options = ["--until", until]
    argv = night_command(folder, options)
    if cron or not (into or shutil.which("systemctl")):
        click.echo(crontab_line(argv, at))
        if not cron:
            click.echo("There is no systemd here; add this line by crontab -e.", err=True)
        return
    target = into or systemd_folder()
    units = install_timer(name, argv, at, target)
    user = "" if target.is_relative_to("/etc") else " --user"
    click.echo(f"Wrote {units.name}.service and {units.name}.timer into {printable(str(target))}.")
    click.echo(f"To begin: systemctl{user} daemon-reload")
    click.echo(f"          systemctl{user} enable --now {units.name}.timer")
    if user:
        click.echo("          loginctl enable-linger, so that it runs while you are away")
