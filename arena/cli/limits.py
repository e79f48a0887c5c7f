"""The option `--clock`: the time bots have."""

from collections.abc import Callable
from difflib import get_close_matches
from math import inf
from typing import Any

import click
from msgspec.structs import asdict

from arena.protocol.messages import Limits

KEYS = Limits.__struct_fields__


class Clock(click.ParamType[Limits]):
    """Limits as `move=0.5,bank=2`; what is not named stays as it is."""

    name = "clock"

    def __init__(self, usual: Limits) -> None:
        self.usual = usual

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Limits:
        """The limits that are meant."""
        if isinstance(value, Limits):
            return value
        limits = asdict(self.usual)
        for part in str(value).split(","):
            key, _, seconds = part.partition("=")
            if key not in KEYS:
                near = get_close_matches(key, KEYS, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(KEYS)}"
                self.fail(f"there is no limit {key!r}; {hint}", param, ctx)
            try:
                limits[key] = float(seconds)
            except ValueError:
                limits[key] = -1.0
            if not 0 <= limits[key] < inf:
                self.fail(f"{key} is a number of seconds, not {seconds!r}", param, ctx)
        return Limits(**limits)


def clock_option(usual: Limits) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option, with what holds where it says nothing."""
    shown = ",".join(f"{key}={seconds:g}" for key, seconds in asdict(usual).items())
    return click.option(
        "--clock",
        "limits",
        type=Clock(usual),
        default=usual,
        metavar="KEY=SECONDS,...",
        help=f"The time bots have; usually {shown}. All but wall is CPU time.",
    )
