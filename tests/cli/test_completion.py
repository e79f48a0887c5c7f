"""Shells complete commands and variants."""

import pytest

from arena.games.catalog import VARIANTS
from tests.cli.conftest import Run


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
