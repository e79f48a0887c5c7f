"""Whether a bot gets ready is asked of its process, and answered in a sentence."""

from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits as Room
from arena.bots.sandbox.limits import SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.conformance.check import find_startup_problem
from arena.errors import BadBot
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from tests.bots.leftover_processes import check_no_leftovers
from tests.suite.tools import skip_without_sandbox

pytestmark = pytest.mark.slow

READY = 'print(\'{"type":"ready"%s}\', flush=True)\nimport sys\nfor line in sys.stdin: pass\n'
TERMS = RefereeConfig(Limits(start=30, wall=60))


def startup_error(folder: Path, text: str, *variants: str, terms: RefereeConfig = TERMS) -> str:
    """What is said of a bot that is this program; nothing of it is left."""
    script = folder / "fox.py"
    script.write_text(text)
    with check_no_leftovers(10):
        return find_startup_problem(load_bot(script), variants, terms)


@pytest.mark.parametrize(
    ("more", "variants", "why"),
    [
        ("", ("sticheln", "was-sticht"), ""),
        ("", (), ""),
        (',"variants":["stic*"]', ("sticheln", "stick-em"), ""),
        (',"variants":["stic*"]', ("sticheln", "was-sticht"), "was-sticht"),
        (',"variants":[]', ("sticheln",), "sticheln"),
        (',"variants":["sticheln"]', ("sticheln+mild",), "sticheln+mild"),
    ],
)
def test_variants_that_a_bot_does_not_play(
    tmp_path: Path, more: str, variants: tuple[str, ...], why: str
) -> None:
    told = startup_error(tmp_path, READY % more, *variants)
    assert told == (f"fox says that it does not play {why}" if why else "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise SystemExit(3)", "its output ended: exit status 3"),
        ("import no_such_package", "its output ended: exit status 1"),
        ("print('hello')", "its line is not a message: "),
        ("print('x', end='')", "its output ended within a line: exit status 0"),
        ('print(\'{"type":"choose","id":1,"choice":"R7"}\')', "its first line is not 'ready'"),
    ],
)
def test_a_bot_that_does_not_start(tmp_path: Path, text: str, why: str) -> None:
    told = startup_error(tmp_path, text, "sticheln")
    assert told.startswith(f"fox does not start: {why}")
    assert "\n" not in told


def test_a_bot_that_does_not_answer(tmp_path: Path) -> None:
    silent = "import time\nwhile True: time.sleep(1)"
    told = startup_error(tmp_path, silent, terms=RefereeConfig(Limits(start=30, wall=0.3)))
    assert told.startswith("fox does not start: nothing came in 0.3 s")


def test_no_time_limits(tmp_path: Path) -> None:
    assert startup_error(tmp_path, READY % "", "sticheln", terms=RefereeConfig(limits=None)) == ""


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "fox"
    program.write_bytes(b"\x7fELF" + bytes(100))
    program.chmod(0o755)
    with check_no_leftovers(10), pytest.raises(BadBot, match="fox cannot be started: "):
        find_startup_problem(load_bot(program), (), TERMS)


def test_in_a_sandbox(tmp_path: Path) -> None:
    try:
        sandbox = select_sandbox(SandboxLevel.STANDARD, Room())
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    looks = f"import os\nassert not os.path.exists({str(tmp_path)!r})\n"
    sandboxed = RefereeConfig(Limits(start=30, wall=60), sandbox=sandbox)
    assert startup_error(tmp_path, looks + READY % "", terms=sandboxed) == ""
    assert startup_error(tmp_path, looks + READY % "") != ""
