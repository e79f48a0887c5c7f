"""The command group `arena ladder`."""

import click

from arena.cli.main import LazyGroup

COMMANDS = ("backup", "init", "night", "show", "simulate", "timer", "token")
"""The commands in the order of the help page."""


@click.group(
    cls=LazyGroup,
    prefix="ladder_",
    names=COMMANDS,
    short_help="Run a standing competition.",
)
def ladder() -> None:
    """Run a standing competition: bots come at any time, and every night it is played.

    arena ladder init makes one, arena submit sends a bot to it, arena ladder night plays, and arena
    serve shows it to the world.
    """
