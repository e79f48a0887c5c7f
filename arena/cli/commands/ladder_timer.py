"""The command `arena ladder timer`: schedule a ladder's nights with systemd or cron."""

import os
import re
import shutil
import sys
from datetime import datetime
from pathlib import Path

import click

from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.options import ladder_argument
from arena.errors import ArenaError
from arena.ladder import settings
from arena.ladder import timer as timing
from arena.ladder.settings import load
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
    name = load(folder, SandboxLevel.NONE).keys.name
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", at):
        raise ArenaError(f"--at takes a time of day such as 02:00, not {printable(at)!r}")
    options = []
    if length is not None and until is not None:
        raise ArenaError("say one of --for and --until")
    if length is not None:
        settings.parse_duration(length)
        options = ["--for", length]
    elif until is not None:
        settings.next_time_of_day(until, datetime.now().astimezone())
        options = ["--until", until]
    argv = timing.night_command(arena_program(), folder, options)
    if cron or not (into or shutil.which("systemctl")):
        click.echo(timing.crontab_line(argv, at))
        if not cron:
            click.echo("There is no systemd here; add this line by crontab -e.", err=True)
        return
    place = into or systemd_folder()
    made = timing.systemd_units(name, argv, at)
    service = place / f"{made.name}.service"
    try:
        place.mkdir(parents=True, exist_ok=True)
        if service.exists() and timing.plays_other_ladder(
            service.read_text(encoding="utf-8"), argv
        ):
            raise ArenaError(
                f"{service} plays another ladder of this name; remove it, or give one of them "
                "another name in its ladder.yaml"
            )
        service.write_text(made.service, encoding="utf-8")
        (place / f"{made.name}.timer").write_text(made.timer, encoding="utf-8")
    except OSError as error:
        raise ArenaError(
            f"{place} cannot be written: {error.strerror}; name another by --into"
        ) from error
    user = "" if place.is_relative_to("/etc") else " --user"
    click.echo(f"Wrote {made.name}.service and {made.name}.timer into {printable(str(place))}.")
    click.echo(f"To begin: systemctl{user} daemon-reload")
    click.echo(f"          systemctl{user} enable --now {made.name}.timer")
    if user:
        click.echo("          loginctl enable-linger, so that it runs while you are away")


def systemd_folder() -> Path:
    """Where systemd looks for what its user has written."""
    if os.geteuid() == 0:
        return Path("/etc/systemd/system")
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "systemd" / "user"


def arena_program() -> str:
    """The command that this is."""
    beside = Path(sys.executable).parent / "arena"
    return str(beside) if beside.exists() else shutil.which("arena") or "arena"
