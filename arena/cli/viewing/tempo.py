"""How long to wait after a step, so that a game can be watched."""

import click

from arena.games.events import Designated, LaidOut, Named, Revealed, Scored, SetAside, Took
from arena.games.replay import Step

SPEED = 8.0
"""Cards a second, unless somebody wants it otherwise."""

LONGER = {Took: 2, SetAside: 2, Designated: 4, Revealed: 4, Named: 4, LaidOut: 8, Scored: 12}
"""Cards that could be played while a person takes this in."""


def pause(step: Step, speed: float) -> float:
    """Seconds after a step at a speed of so many cards a second."""
    beats = max((LONGER.get(type(event), 1) for event in step.events()), default=1)
    return beats / speed


speed_option = click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=SPEED,
    show_default=True,
    help="With --watch: cards a second at most.",
)
