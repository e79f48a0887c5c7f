"""Shell completion of variants, bots, runs and tournament files."""

import shlex
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from arena.bots.bot import builtin_bots
from arena.cli.find_run import RUNS_FOLDER
from arena.errors import ArenaError
from arena.games.catalog import MODIFIERS, VARIANTS, variant
from arena.store.database import RUN_FILE


def complete_variant(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a variant, with its modifiers in any order."""
    typed = incomplete.lower()
    canonical = [name for name in VARIANTS if name.startswith(typed)]
    if canonical:
        return canonical
    first, _, last = typed.rpartition("+")
    return [
        f"{first}+{modifier}"
        for modifier in MODIFIERS
        if modifier.startswith(last) and is_variant(f"{first}+{modifier}")
    ]


def complete_bot(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a bot: the name of a built-in one, or a file."""
    named = [CompletionItem(name) for name in builtin_bots() if name.startswith(incomplete)]
    return [*named, CompletionItem(incomplete, type="file")]


def complete_run(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a run: a name under `runs/`, or a folder."""
    names = (file.parent.name for file in sorted(RUNS_FOLDER.glob(f"*/{RUN_FILE}")))
    named = [CompletionItem(name) for name in names if is_offered(name, incomplete)]
    return [*named, CompletionItem(incomplete, type="file")]


def complete_tournament(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a tournament: a YAML file, or a folder that may hold some."""
    folder = incomplete[: incomplete.rfind("/") + 1]
    entries = sorted(Path(folder or ".").iterdir()) if Path(folder or ".").is_dir() else []
    found = [
        CompletionItem(f"{folder}{entry.name}" + "/" * entry.is_dir())
        for entry in entries
        if (entry.is_dir() or entry.suffix in {".yaml", ".yml"})
        and is_offered(entry.name, incomplete[len(folder) :])
        and not entry.name.startswith(".")
    ]
    return found or [CompletionItem(incomplete, type="file")]


def is_offered(name: str, incomplete: str) -> bool:
    """Whether a name begins with what is typed and needs no quotes.

    Names that need quotes are left to the shell, which completes files too and quotes them.
    """
    return name.startswith(incomplete) and shlex.quote(name) == name


def is_variant(name: str) -> bool:
    """Whether there is a variant of this name."""
    try:
        variant(name)
    except ArenaError:
        return False
    return True
