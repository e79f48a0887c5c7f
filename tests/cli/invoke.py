"""Runs `arena` and its shell completion in this process."""

import os

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner, Result

from arena.cli.main import arena


def invoke_arena(*words: object, columns: int = 80) -> Result:
    """Run `arena` in this process, on a terminal of this width."""
    runner = CliRunner(env={"COLUMNS": str(columns)})
    cores = os.sched_getaffinity(0)
    try:
        return runner.invoke(arena, [str(word) for word in words], prog_name="arena")
    finally:
        os.sched_setaffinity(0, cores)  # `arena play` keeps its process on one core


def complete(shell: str, words: str) -> str:
    """Return the completions of the last word in a shell."""
    completer = get_completion_class(shell)
    assert completer
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMP_WORDS", f"arena {words}")
        patch.setenv("COMP_CWORD", str(len(words.split(" "))))
        return completer(arena, {}, "arena", "_ARENA_COMPLETE").complete()
