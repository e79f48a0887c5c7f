"""The command that plays a game of a run again, with the same bots, seed, clock and sandbox."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from arena.bots.sandbox.limits import SandboxLevel
from arena.protocol.messages import Limits
from arena.referee.faults import FaultPolicy
from arena.store.header import RunHeader


def play_command(  # noqa: PLR0913, PLR0917 (one for each property of the game)
    header: RunHeader,
    variant: str,
    bots: Sequence[str],
    seed: int,
    turn: int,
    level: str | None,
    *,
    format_path: Callable[[str], str],
) -> str:
    """The command that plays a game of a run again, in a sandbox of the same level.

    `format_path` returns the path of a bot as it has to be typed where the command runs.
    """
    paths = {bot.name: format_path(bot.path) for bot in header.bots}
    words = ["arena", "play", variant, *(paths.get(bot, bot) for bot in bots)]
    words += ["--seed", str(seed), *(["--turn", str(turn)] if turn else [])]
    clock = header.settings.get("clock")
    if clock == "none":
        words.append("--no-clock")
    elif isinstance(clock, dict):
        argument = clock_argument(msgspec.convert(clock, Limits))
        words += ["--clock", argument] if argument else []
    faults = header.settings.get("faults")
    if isinstance(faults, dict) and faults.get("policy") == FaultPolicy.STRICT:
        words.append("--strict")
    words += ["--sandbox", level] if level in {SandboxLevel.STRICT, SandboxLevel.NONE} else []
    return shlex.join(words)


def local_path(path: str) -> str:
    """The path of a bot relative to its parent folder, so that no page names folders of ours."""
    return f"./{Path(path).name}" if Path(path).is_absolute() else path


def clock_argument(limits: Limits) -> str | None:
    """The value of `--clock` for these limits; None for the default limits."""
    defaults = asdict(Limits())
    changed = {key: seconds for key, seconds in asdict(limits).items() if seconds != defaults[key]}
    return ",".join(f"{key}={seconds:g}" for key, seconds in changed.items()) or None
