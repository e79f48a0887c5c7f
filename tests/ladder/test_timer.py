"""What systemd and cron are told, also of folders with odd names."""

import shlex
import subprocess
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ladder.timer import (
    crontab_line,
    night_command,
    plays_other_ladder,
    quote_for_systemd,
    systemd_folder,
    systemd_units,
)

ODD = ("a b", "100%", "$HOME", "it's", 'say "hi"', "a;b", "{x}", "größe", "-x", "#1", "a\\b", "a&b")


def test_the_command_of_a_night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    argv = night_command(Path("ladder"), ["--for", "2h"], "/bin/arena")
    assert argv == [
        *("/bin/arena", "ladder", "night", str(tmp_path / "ladder"), "--for", "2h", "--quiet"),
    ]


def test_a_service_and_its_timer() -> None:
    made = systemd_units(
        "My Ladder, 2030!", ["/bin/arena", "ladder", "night", "/srv/ladder"], "02:30"
    )
    assert made.name == "stichkampf-my-ladder-2030"
    assert "\nExecStart=/bin/arena ladder night /srv/ladder\n" in made.service
    assert "\nOnCalendar=*-*-* 02:30:00\n" in made.timer
    assert "\nPersistent=true\n" in made.timer
    assert systemd_units("...", ["arena"], "02:30").name == "stichkampf-ladder"


def test_another_ladder_of_the_same_name_is_seen() -> None:
    argv = ["arena", "ladder", "night", "/srv/a b", "--quiet"]
    service = systemd_units("x", argv, "02:00").service
    assert not plays_other_ladder(service, argv)
    assert not plays_other_ladder(service, [*argv, "--for", "2h"])
    for folder in ("/srv/a", "/srv/a bc", "/a b"):
        assert plays_other_ladder(service, ["arena", "ladder", "night", folder, "--quiet"])


@pytest.mark.parametrize("name", ODD)
def test_words_as_systemd_reads_them(name: str) -> None:
    told = quote_for_systemd(f"/srv/{name}")
    (read,) = shlex.split(told)  # what is not doubled it reads as a shell does
    assert read.replace("%%", "%").replace("$$", "$") == f"/srv/{name}"
    assert "%" not in told.replace("%%", "")
    assert "$" not in told.replace("$$", "")


def as_cron(line: str) -> tuple[list[str], str]:
    """The fields of a line as cron reads it, and the command that it gives to a shell."""
    *fields, told = line.split(" ", 5)
    plain, rest = "", told
    while rest:
        if rest.startswith("\\%"):
            plain, rest = plain + "%", rest[2:]
            continue
        assert rest[0] not in "%\n", "cron would end the line here"
        plain, rest = plain + rest[0], rest[1:]
    return fields, plain


@pytest.mark.parametrize("name", [name for name in ODD if "\\" not in name])
def test_a_line_for_cron(name: str) -> None:
    fields, told = as_cron(
        crontab_line(["/bin/arena", f"/srv/{name}", "--until", "06:00"], "02:05")
    )
    assert fields == ["5", "2", "*", "*", "*"]
    read = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {told}"], capture_output=True, text=True, check=True
    )
    assert read.stdout == f"/bin/arena\n/srv/{name}\n--until\n06:00\n"


@pytest.mark.parametrize("name", ["a\n* * * * * echo", "a\rb", "a\0b", "\x1b[31m", "\udcff"])
def test_folder_names_that_a_timer_cannot_hold(name: str) -> None:
    said = r"^the ladder's folder has a name that no timer can be given; rename it$"
    with pytest.raises(ArenaError, match=said):
        systemd_units("x", ["arena", "ladder", "night", f"/srv/{name}"], "02:00")
    with pytest.raises(ArenaError, match=said):
        crontab_line(["arena", "ladder", "night", f"/srv/{name}"], "02:00")


def test_crons_do_not_agree_on_backslashes() -> None:
    with pytest.raises(ArenaError, match="rename it"):
        crontab_line(["arena", "ladder", "night", "/srv/a\\%b"], "02:00")


@pytest.mark.slow
@pytest.mark.needs("systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    program = tmp_path / "odd $x%y" / "arena"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for number, name in enumerate(ODD):
        made = systemd_units(
            f"odd {number}", night_command(tmp_path / name, program=str(program)), "02:00"
        )
        files = [tmp_path / f"{made.name}.{kind}" for kind in ("service", "timer")]
        for file, text in zip(files, (made.service, made.timer), strict=True):
            file.write_text(text)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *map(str, files)],
            capture_output=True,
            text=True,
            check=False,
        )
        ours = [line for line in done.stderr.splitlines() if made.name in line]
        assert ours == [], name


def test_where_systemd_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert systemd_folder() == Path("/etc/systemd/system")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert systemd_folder() == tmp_path / "systemd" / "user"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert systemd_folder() == tmp_path / ".config" / "systemd" / "user"
