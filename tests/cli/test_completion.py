"""Shells complete commands and variants."""

import pytest

from arena.games.catalog import VARIANTS
from tests.cli.conftest import Run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script(arena: Run, shell: str) -> None:
    done = arena("completion", shell)
    assert done.returncode == 0
    assert f"_ARENA_COMPLETE={shell}_complete" in done.stdout


def test_variants_are_completed(arena: Run) -> None:
    words = "arena rules stick-em+reverse"
    done = arena(_ARENA_COMPLETE="zsh_complete", COMP_WORDS=words, COMP_CWORD="2")
    offered = done.stdout.split("\n")[1::3]
    assert offered == [name for name in VARIANTS if name.startswith("stick-em+reverse")]
