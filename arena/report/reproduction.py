"""The command that plays a game of a run again."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from arena.bots.sandbox.level import Level
from arena.match.faults import Policy
from arena.protocol.messages import Limits
from arena.store.header import Header


def reproduction(  # noqa: PLR0913, PLR0917 (each says something of the game)
    header: Header,
    variant: str,
    bots: Sequence[str],
    seed: int,
    turn: int,
    level: str | None,
    *,
    typed: Callable[[str], str],
) -> str:
    """The command that plays a game of a run again, in a sandbox of the same level.

    `typed` says how the path of a bot is typed where the command is to run.
    """
    paths = {bot.name: typed(bot.path) for bot in header.bots}
    words = ["arena", "play", variant, *(paths.get(bot, bot) for bot in bots)]
    words += ["--seed", str(seed), *(["--turn", str(turn)] if turn else [])]
    clock = header.settings.get("clock")
    if clock == "none":
        words.append("--no-clock")
    elif isinstance(clock, dict):
        told = timed(msgspec.convert(clock, Limits))
        words += ["--clock", told] if told else []
    faults = header.settings.get("faults")
    if isinstance(faults, dict) and faults.get("policy") == Policy.STRICT:
        words.append("--strict")
    words += ["--sandbox", level] if level in {Level.STRICT, Level.NONE} else []
    return shlex.join(words)


def beside(path: str) -> str:
    """A bot as it is typed in a folder that holds it: nobody needs to know where ours are."""
    return f"./{Path(path).name}" if Path(path).is_absolute() else path


def timed(limits: Limits) -> str | None:
    """The option that stands for these limits; None if they are the usual ones."""
    usual = asdict(Limits())
    other = {key: seconds for key, seconds in asdict(limits).items() if seconds != usual[key]}
    return ",".join(f"{key}={seconds:g}" for key, seconds in other.items()) or None
