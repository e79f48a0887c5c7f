"""`arena ladder`: a standing competition, from its folder to every morning's page."""

from importlib import import_module

import click

COMMANDS = ("init", "night", "show", "simulate", "timer", "token")
"""Each is a module of `laddering` that holds a command of the same name."""


class Ladder(click.Group):
    """A group that loads a command when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """All there are."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"arena.cli.laddering.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=Ladder, short_help="Run a standing competition.")
def ladder() -> None:
    """Run a standing competition: bots come at any time, and every night it is played.

    arena ladder init makes one, arena submit sends a bot to it, arena ladder night plays, and arena
    serve shows it to the world.
    """
