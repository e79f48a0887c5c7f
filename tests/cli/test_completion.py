"""Shells complete variants, runs and tournaments."""

from pathlib import Path

import pytest

from arena.games.catalog import VARIANTS
from tests.cli.invoke import complete, invoke_arena
from tests.cli.runs import create_run
from tests.conftest import RunArena

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script(shell: str) -> None:
    done = invoke_arena("completion", shell)
    assert done.exit_code == 0
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
def test_variants_are_completed(typed: str, offered: list[str]) -> None:
    assert complete("zsh", f"rules {typed}").split("\n")[1::3] == offered


def test_a_shell_asks_the_program(run_arena: RunArena) -> None:
    words = {"COMP_WORDS": "arena rules hat", "COMP_CWORD": "2"}
    assert (
        run_arena(_ARENA_COMPLETE="zsh_complete", **words).stdout
        == complete("zsh", "rules hat") + "\n"
    )


def offered(words: str) -> list[str]:
    """The words that bash is offered for the last of these."""
    lines = complete("bash", words).splitlines()
    return [line.partition(",")[2] for line in lines if line.startswith("plain")]


@pytest.mark.slow
def test_runs_and_tournaments_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create_run(tmp_path / "runs" / "friday", blocks=1)
    (tmp_path / "runs" / "other").mkdir()
    (tmp_path / "cups").mkdir()
    (tmp_path / "cups" / "small.yaml").touch()
    (tmp_path / "cups" / "notes.txt").touch()
    for command in ("standings", "crosstable", "games", "show", "merge", "verify"):
        assert offered(f"{command} f") == ["friday"]
    assert offered("run cu") == ["cups/"]
    assert offered("plan cups/s") == ["cups/small.yaml"]


@pytest.mark.slow
def test_no_name_that_needs_quotes_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell might run parts of such a name; it quotes the files that it completes itself."""
    monkeypatch.chdir(tmp_path)
    for name in ("ok", "o$(touch x)", "o`x`", "o;x", "o\x1b[2J", "o\nx"):
        create_run(tmp_path / "runs" / name, blocks=1)
        (tmp_path / f"{name}.yaml").touch()
    assert offered("standings o") == ["ok"]
    assert offered("plan o") == ["ok.yaml"]
