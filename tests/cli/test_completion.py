"""Shells complete commands and variants."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games.catalog import VARIANTS
from tests.cli.runs import played
from tests.conftest import Run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script(arena: Run, shell: str) -> None:
    done = arena("completion", shell)
    assert done.returncode == 0
    assert f"_ARENA_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hat", ["hat-trick"]),
        ("stick-em+rev", [name for name in VARIANTS if name.startswith("stick-em+rev")]),
        ("Was", ["was-sticht"]),
        ("sticheln+hazy+mi", ["sticheln+hazy+mild"]),
        ("sticheln+delayed+", [f"sticheln+delayed+{m}" for m in ("reverse", "mild", "aggravated")]),
        ("hat-trick+", []),
        ("poker", []),
    ],
)
def test_variants_are_completed(arena: Run, typed: str, offered: list[str]) -> None:
    words = f"arena rules {typed}"
    done = arena(_ARENA_COMPLETE="zsh_complete", COMP_WORDS=words, COMP_CWORD="2")
    assert done.stdout.rstrip("\n").split("\n")[1::3] == offered


def completed(words: str, folder: Path) -> list[str]:
    """What a shell is offered for the last of these words."""
    done = subprocess.run(
        [sys.executable, "-m", "arena"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={
            **os.environ,
            "_ARENA_COMPLETE": "bash_complete",
            "COMP_WORDS": f"arena {words}",
            "COMP_CWORD": str(len(words.split(" "))),
        },
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line.startswith("plain")]


@pytest.mark.slow
def test_runs_and_tournaments_are_offered(tmp_path: Path) -> None:
    played(tmp_path / "runs" / "friday", blocks=1)
    (tmp_path / "runs" / "other").mkdir()
    (tmp_path / "cups").mkdir()
    (tmp_path / "cups" / "small.yaml").touch()
    (tmp_path / "cups" / "notes.txt").touch()
    for command in ("standings", "crosstable", "games", "show", "merge", "verify"):
        assert completed(f"{command} f", tmp_path) == ["friday"]
    assert completed("run cu", tmp_path) == ["cups/"]
    assert completed("plan cups/s", tmp_path) == ["cups/small.yaml"]


@pytest.mark.slow
def test_no_name_is_offered_that_a_shell_would_not_just_take(tmp_path: Path) -> None:
    """It would be run as soon as somebody has it completed; the shell completes files itself."""
    for name in ("ok", "o$(touch x)", "o`x`", "o;x", "o\x1b[2J", "o\nx"):
        played(tmp_path / "runs" / name, blocks=1)
        (tmp_path / f"{name}.yaml").touch()
    assert completed("standings o", tmp_path) == ["ok"]
    assert completed("plan o", tmp_path) == ["ok.yaml"]
