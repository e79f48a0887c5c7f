"""`arena ladder`: a standing competition, from its folder to every morning's page."""

import click

from arena.cli.lazy import Lazy

COMMANDS = ("backup", "init", "night", "show", "simulate", "timer", "token")
"""Each is a module of `laddering` that holds a command of the same name."""


@click.group(
    cls=Lazy,
    package="arena.cli.laddering",
    names=COMMANDS,
    short_help="Run a standing competition.",
)
def ladder() -> None:
    """Run a standing competition: bots come at any time, and every night it is played.

    arena ladder init makes one, arena submit sends a bot to it, arena ladder night plays, and arena
    serve shows it to the world.
    """
