"""`arena completion`: what a shell needs to complete commands, options and variants."""

import click
from click.shell_completion import get_completion_class

from arena.errors import ArenaError
from arena.games.catalog import VARIANTS

INTO = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/arena.fish",
}


@click.command()
@click.argument("shell", type=click.Choice(list(INTO)))
def completion(shell: str) -> None:
    """Print a script that completes `arena` in your SHELL.

    Its first line says which file to append it to.
    """
    known = get_completion_class(shell)
    if known is None:
        raise ArenaError(f"this version of click cannot complete in {shell}; update it")
    root = click.get_current_context().find_root().command
    click.echo(f"# append this to {INTO[shell]}")
    click.echo(known(root, {}, "arena", "_ARENA_COMPLETE").source())


def variant_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The variants a shell may offer for what is typed so far."""
    return [name for name in VARIANTS if name.startswith(incomplete)]
