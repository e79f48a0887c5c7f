"""The command `arena completion`: print a script that completes `arena` in a shell."""

import click
from click.shell_completion import get_completion_class

from arena.errors import ArenaError

STARTUP_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/arena.fish",
}


@click.command(short_help="Print a script that completes in your shell.")
@click.argument("shell", type=click.Choice(list(STARTUP_FILES)))
def completion(shell: str) -> None:
    """Print a script that completes `arena` in your SHELL.

    Its first line is the command that installs it for good.
    """
    completer = get_completion_class(shell)
    if completer is None:
        raise ArenaError(f"this version of click cannot complete in {shell}; update it")
    root = click.get_current_context().find_root().command
    click.echo(f"# arena completion {shell} >> {STARTUP_FILES[shell]}")
    click.echo(completer(root, {}, "arena", "_ARENA_COMPLETE").source())
