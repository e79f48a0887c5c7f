"""Help, versions, and errors that are one sentence."""

import pytest

from arena.cli.main import COMMANDS
from tests.cli.conftest import Run


def test_help_names_every_command(arena: Run) -> None:
    for flag in ("--help", "-h"):
        done = arena(flag)
        assert done.returncode == 0
        for command in COMMANDS:
            assert f"\n  {command} " in done.stdout


def test_version(arena: Run) -> None:
    assert arena("--version").stdout.startswith("arena, version ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "sticheln+hazy+delayed"], "did you mean 'sticheln+delayed'?"),
        (["rules", "stichelm"], "did you mean 'sticheln'?"),
    ],
)
def test_a_mistake_is_one_sentence(arena: Run, words: list[str], said: str) -> None:
    done = arena(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("Error: ")
    assert said in done.stderr


def test_a_command_that_is_none(arena: Run) -> None:
    done = arena("rulez")
    assert done.returncode == 2
    assert "No such command 'rulez'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_that_knows_few_letters(arena: Run) -> None:
    done = arena("rules", "sticheln+reverse", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "? Equal totals share the victory." in done.stdout
