"""`arena completion`: what a shell needs to complete commands, options and variants."""

import shlex
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.bots.bot import reference
from arena.cli.lookup import RUNS
from arena.errors import ArenaError
from arena.games.catalog import MODIFIERS, VARIANTS, variant
from arena.store.database import FILE

INTO = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/arena.fish",
}


@click.command(short_help="Print a script that completes in your shell.")
@click.argument("shell", type=click.Choice(list(INTO)))
def completion(shell: str) -> None:
    """Print a script that completes `arena` in your SHELL.

    Its first line is the command that installs it for good.
    """
    known = get_completion_class(shell)
    if known is None:
        raise ArenaError(f"this version of click cannot complete in {shell}; update it")
    root = click.get_current_context().find_root().command
    click.echo(f"# arena completion {shell} >> {INTO[shell]}")
    click.echo(known(root, {}, "arena", "_ARENA_COMPLETE").source())


def variant_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The variants a shell may offer for what is typed so far, modifiers in any order."""
    typed = incomplete.lower()
    canonical = [name for name in VARIANTS if name.startswith(typed)]
    if canonical:
        return canonical
    begun, _, last = typed.rpartition("+")
    return [
        f"{begun}+{modifier}"
        for modifier in MODIFIERS
        if modifier.startswith(last) and is_variant(f"{begun}+{modifier}")
    ]


def bot_names(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The bots a shell may offer: those that have a name, and files."""
    named = [CompletionItem(name) for name in reference() if name.startswith(incomplete)]
    return [*named, CompletionItem(incomplete, type="file")]


def run_names(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The runs a shell may offer: those that have a name here, and folders."""
    named = (file.parent.name for file in sorted(RUNS.glob(f"*/{FILE}")))
    offered = [CompletionItem(name) for name in named if offers(name, incomplete)]
    return [*offered, CompletionItem(incomplete, type="file")]


def tournament_files(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The tournaments a shell may offer: YAML files and folders that may hold some."""
    folder = incomplete[: incomplete.rfind("/") + 1]
    entries = sorted(Path(folder or ".").iterdir()) if Path(folder or ".").is_dir() else []
    found = [
        CompletionItem(f"{folder}{entry.name}" + "/" * entry.is_dir())
        for entry in entries
        if (entry.is_dir() or entry.suffix in {".yaml", ".yml"})
        and offers(entry.name, incomplete[len(folder) :])
        and not entry.name.startswith(".")
    ]
    return found or [CompletionItem(incomplete, type="file")]


def offers(name: str, incomplete: str) -> bool:
    """Whether a name goes on from what is typed, and is nothing that a shell would not just take.

    The shell, which completes files too, quotes the others.
    """
    return name.startswith(incomplete) and shlex.quote(name) == name


def is_variant(name: str) -> bool:
    """Whether this names a variant."""
    try:
        variant(name)
    except ArenaError:
        return False
    return True
