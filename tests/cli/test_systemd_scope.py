"""An ordinary user's commands that run bots enter a systemd scope; here a stand-in makes none."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.unprivileged_user import REPOSITORY, USER, command_as_user
from tests.suite.stages import soak_only

STAND_IN = """#!/bin/sh
printf '%s\\n' "$$ $*" >> {log}
{before}
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
SCOPE = "--user --scope --quiet --collect -p Delegate=yes --"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0, reason="only root can be a user of whom it knows everything"
    ),
]


@pytest.fixture
def home() -> Iterator[Path]:
    """A user's home, with a manager of that user as far as a folder shows it."""
    place = Path("/var/tmp") / f"stichkampf-scope-{os.getpid()}"  # noqa: S108 (open to others)
    (place / "bin").mkdir(parents=True)
    (place / "runtime" / "systemd").mkdir(parents=True)
    (place / "log").touch()
    os.chown(place / "log", USER, USER)
    yield place
    shutil.rmtree(place)


def stand_in(home: Path, before: str = "") -> None:
    """Put a program in place of systemd-run that notes what it is told, and runs it."""
    script = home / "bin" / "systemd-run"
    script.write_text(STAND_IN.format(log=home / "log", before=before))
    script.chmod(0o755)


def start_arena(home: Path, *words: str, **changes: str) -> subprocess.Popen[str]:
    """The command as this user runs it."""
    env = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        **changes,
    }
    return subprocess.Popen(
        command_as_user([sys.executable, "-m", "arena", *words], home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=env,
    )


def systemd_calls(home: Path) -> list[list[str]]:
    """What the stand-in was told each time, after its own number."""
    return [line.split(maxsplit=1) for line in (home / "log").read_text().splitlines()]


def test_a_command_that_runs_bots_gets_a_scope(home: Path) -> None:
    """It is tried out, then entered once, by the same process and with the same words."""
    stand_in(home)
    process = start_arena(home, "doctor", "--json")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.startswith("{")
    (_, trial), (number, entered) = systemd_calls(home)
    assert trial == f"{SCOPE} true"
    assert entered == f"{SCOPE} {sys.executable} -m arena doctor --json"
    assert int(number) == process.pid


def test_the_exit_status_is_kept(home: Path) -> None:
    stand_in(home)
    process = start_arena(home, "play", "no-such-variant", "x")
    _, err = process.communicate()
    assert process.returncode == 2
    assert "no-such-variant" in err
    assert len(systemd_calls(home)) == 2


def test_signals_reach_it(home: Path) -> None:
    stand_in(home)
    process = start_arena(home, "play", "sticheln", *["random"] * 3, "--watch", "--speed", "0.1")
    assert process.stdout
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert len(systemd_calls(home)) == 2


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (("doctor", "--json"), {"STICHKAMPF_SCOPE": "off"}),
        (("doctor", "--json"), {"XDG_RUNTIME_DIR": "/nowhere"}),
        (("variants",), {}),
        soak_only((("--help",), {})),
    ],
)
def test_when_no_scope_is_created(
    home: Path, words: tuple[str, ...], changes: dict[str, str]
) -> None:
    """If the user says so, has no manager, or the command runs no bots."""
    stand_in(home)
    process = start_arena(home, *words, **changes)
    process.communicate()
    assert process.returncode == 0
    assert systemd_calls(home) == []


def test_a_manager_that_refuses(home: Path) -> None:
    """The command runs where it is, and says nothing about it."""
    stand_in(home, "echo 'Failed to connect to bus' >&2; exit 1")
    process = start_arena(home, "doctor", "--json")
    _, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert len(systemd_calls(home)) == 1
