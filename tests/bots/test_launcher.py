"""Programs are started from nothing, and how they end is reported."""

import os
import sys
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import MARK_VARIABLE, BotExit, Launcher, describe_exit
from arena.bots.process import BotProcess
from arena.errors import BadBot, HarnessFailure
from tests.bots.conftest import StartProgram
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_all_output

pytestmark = pytest.mark.slow

LONG = 60.0


def test_the_environment(start_program: StartProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("SECRET", "1")
    found = dict(
        line.split("=", 1)
        for line in read_all_output(start_program("", "/usr/bin/env")).decode().split()
    )
    allowed = {
        "PATH",
        "HOME",
        "USER",
        "TMPDIR",
        "TZ",
        "LANG",
        "PYTHONDONTWRITEBYTECODE",
        MARK_VARIABLE,
    }
    assert {"PATH", "LANG", "PYTHONDONTWRITEBYTECODE"} <= set(found) <= allowed


def test_the_working_folder(start_program: StartProgram, tmp_path: Path) -> None:
    assert (
        read_all_output(start_program("import os; print(os.getcwd())")).decode() == f"{tmp_path}\n"
    )


def test_only_the_standard_streams_are_open(start_program: StartProgram) -> None:
    open_ones = read_all_output(start_program("", "/bin/ls", "/proc/self/fd")).split()
    assert open_ones == [b"0", b"1", b"2", b"3"], "3 is how it reads the list"


def test_arguments_arrive_as_they_are(start_program: StartProgram) -> None:
    given = ["a b", "'", '"', "$HOME", "*", "ü", "\udcff", "", "x" * 70_000]
    text = "import os, sys; os.write(1, b'\\n'.join(map(os.fsencode, sys.argv[1:])))"
    process = start_program("", sys.executable, "-c", text, *given)
    assert read_all_output(process).split(b"\n") == [os.fsencode(word) for word in given]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["/no/such/thing"], "/no/such/thing cannot be started: .*No such file or directory"),
        (["/etc/passwd"], "/etc/passwd cannot be started: .*Permission denied"),
        (["/"], "/ cannot be started: .*Permission denied"),
        (["/bin/true", "a\0b"], "/bin/true cannot be started: .*embedded null byte"),
    ],
)
def test_programs_that_cannot_be_started(
    argv: list[str], said: str, launcher: Launcher, tmp_path: Path
) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(BadBot, match=said):
        BotProcess(Bot("test", "1", tuple(argv), tmp_path), launcher)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_missing_folder(launcher: Launcher, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(BadBot, match=r"/bin/true cannot be started: .*No such file or directory"):
        BotProcess(Bot("test", "1", ("/bin/true",), gone), launcher)


def test_a_program_of_no_known_kind(launcher: Launcher, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("no shebang")
    program.chmod(0o755)
    with pytest.raises(BadBot, match=r"bot cannot be started: .*Exec format error"):
        BotProcess(Bot("test", "1", (str(program),), tmp_path), launcher)


def test_a_failed_start_does_not_affect_the_next(start_program: StartProgram) -> None:
    with pytest.raises(BadBot):
        start_program("", "/no/such/thing")
    assert read_all_output(start_program("print(1)")) == b"1\n"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("", "exit status 0"),
        ("raise SystemExit(7)", "exit status 7"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "killed by 40"),
    ],
)
def test_exit_reasons(start_program: StartProgram, text: str, how: str) -> None:
    process = start_program(text)
    assert process.exit_reason(LONG) == how


def test_endings() -> None:
    def said(status: int, *, sure: bool = True) -> str:
        return describe_exit(
            BotExit(status, leftover_count=0, is_exact=sure, out_of_memory=False, cause="")
        )

    assert said(0x0300) == "exit status 3"
    assert said(11) == "killed by SIGSEGV"
    assert said(11 | 0x80) == "killed by SIGSEGV", "with a core dump"
    assert said(137 << 8) == "exit status 137"
    both = "exit status 137, which is also what a program has that is killed by SIGKILL"
    assert said(137 << 8, sure=False) == both, "where the kernel does not say which"
    assert said(255 << 8, sure=False) == "exit status 255", "there is no signal 127"


def test_a_process_that_runs_on_after_closing_stdout(start_program: StartProgram) -> None:
    assert start_program("input()").exit_reason(0.05) == "it closed its stdout and went on running"


def test_a_hundred_bots(launcher: Launcher, start_program: StartProgram) -> None:
    processes = [start_program("", "/bin/cat") for _ in range(100)]
    for process in processes:
        process.end(LONG)
    assert launcher.wait_for_exit([process.pid for process in processes], LONG)
    assert {launcher.exits[process.pid].status for process in processes} == {0}


def test_a_closed_launcher_starts_nothing(tmp_path: Path) -> None:
    with check_no_leftovers():
        launcher = Launcher()
        launcher.close()
        with pytest.raises(HarnessFailure):
            BotProcess(Bot("test", "1", ("/bin/true",), tmp_path), launcher)
        launcher.close()


def test_a_program_that_ends_at_once_is_gone(start_program: StartProgram) -> None:
    """Also if that is heard together with its start."""
    for _ in range(30):
        process = start_program("", "/bin/true")
        assert process.launcher.wait_for_exit([process.pid], LONG)
