"""Systemd units or a crontab line that play a ladder every night."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import ArenaError

SERVICE_TEMPLATE: Final = """\
[Unit]
Description=A night of the ladder {name}
Documentation=man:systemd.timer(5)

[Service]
Type=oneshot
ExecStart={command}
# Everything a night has started ends with it; SIGINT lets it finish what is being played.
KillMode=mixed
KillSignal=SIGINT
TimeoutStopSec=120
# It is no failure that the night before still goes on.
SuccessExitStatus=75
Delegate=yes
Nice=5
"""

TIMER_TEMPLATE: Final = """\
[Unit]
Description=Every night the ladder {name} is played

[Timer]
OnCalendar=*-*-* {at}:00
# A machine that was off plays when it is on again.
Persistent=true

[Install]
WantedBy=timers.target
"""


BAD_FOLDER_NAME: Final = "the ladder's folder has a name that no timer can be given; rename it"
FOLDER_INDEX: Final = 3
"""Which word of the command is the folder."""


@dataclass(frozen=True)
class TimerUnits:
    """The two files of a systemd timer."""

    name: str
    service: str
    timer: str


def night_command(
    folder: Path, options: Sequence[str] = (), program: str | None = None
) -> list[str]:
    """The command that plays a night of a ladder, with options such as `--for 2h`."""
    program = program or arena_program()
    return [program, "ladder", "night", str(folder.resolve()), *options, "--quiet"]


def arena_program() -> str:
    """The path of the program `arena` of this installation."""
    beside = Path(sys.executable).parent / "arena"
    return str(beside) if beside.exists() else shutil.which("arena") or "arena"


def install_timer(name: str, argv: list[str], at: str, target: Path) -> TimerUnits:
    """Write the systemd units that run the command every night; those of another ladder stay."""
    units = systemd_units(name, argv, at)
    service = target / f"{units.name}.service"
    try:
        target.mkdir(parents=True, exist_ok=True)
        if service.exists() and plays_other_ladder(service.read_text(encoding="utf-8"), argv):
            raise ArenaError(
                f"{service} plays another ladder of this name; remove it, or give one of them "
                "another name in its ladder.yaml"
            )
        service.write_text(units.service, encoding="utf-8")
        (target / f"{units.name}.timer").write_text(units.timer, encoding="utf-8")
    except OSError as error:
        raise ArenaError(
            f"{target} cannot be written: {error.strerror}; name another by --into"
        ) from error
    return units


def systemd_folder() -> Path:
    """The folder in which systemd looks for the units of this user."""
    if os.geteuid() == 0:
        return Path("/etc/systemd/system")
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "systemd" / "user"


def systemd_units(name: str, argv: list[str], at: str) -> TimerUnits:
    """The systemd units that run a command every night."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "ladder"
    program, *words = argv
    command = " ".join([quote_for_systemd(program, dollar="$"), *map(quote_for_systemd, words)])
    return TimerUnits(
        name=f"stichkampf-{plain}",
        service=SERVICE_TEMPLATE.format(name=plain, command=command),
        timer=TIMER_TEMPLATE.format(name=plain, at=at),
    )


def plays_other_ladder(service: str, argv: list[str]) -> bool:
    """Whether a service that is there runs something else than this in another folder."""
    return f" {quote_for_systemd(argv[FOLDER_INDEX])} " not in service


def quote_for_systemd(word: str, dollar: str = "$$") -> str:
    """A word as systemd reads it: signs are doubled that mean something to it in its place."""
    if not word.isprintable():
        raise ArenaError(BAD_FOLDER_NAME)
    plain = word.replace("%", "%%").replace("$", dollar)
    if re.fullmatch(r"[A-Za-z0-9@%+=:,./_$-]+", plain):
        return plain
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def crontab_line(argv: list[str], at: str) -> str:
    """A line for cron, which takes a percent sign for the end of the line."""
    if not all(word.isprintable() and "\\" not in word for word in argv):  # crons differ there
        raise ArenaError(BAD_FOLDER_NAME)
    hour, minute = at.split(":")
    return f"{int(minute)} {int(hour)} * * * " + shlex.join(argv).replace("%", "\\%")
