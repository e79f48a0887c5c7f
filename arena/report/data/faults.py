"""Faults of bots with their evidence and the commands that reproduce them."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from arena.bots.sandbox.limits import SandboxLevel
from arena.errors import ArenaError
from arena.protocol.messages import Limits
from arena.referee.faults import Evidence, Fault, FaultPolicy
from arena.store.block import unpack_games
from arena.store.header import RunHeader
from arena.store.run import Run
from arena.store.search import FaultRow


def play_command(  # noqa: PLR0913, PLR0917 (each says something of the game)
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

    `typed` says how the path of a bot is typed where the command is to run.
    """
    paths = {bot.name: format_path(bot.path) for bot in header.bots}
    words = ["arena", "play", variant, *(paths.get(bot, bot) for bot in bots)]
    words += ["--seed", str(seed), *(["--turn", str(turn)] if turn else [])]
    clock = header.settings.get("clock")
    if clock == "none":
        words.append("--no-clock")
    elif isinstance(clock, dict):
        told = clock_argument(msgspec.convert(clock, Limits))
        words += ["--clock", told] if told else []
    faults = header.settings.get("faults")
    if isinstance(faults, dict) and faults.get("policy") == FaultPolicy.STRICT:
        words.append("--strict")
    words += ["--sandbox", level] if level in {SandboxLevel.STRICT, SandboxLevel.NONE} else []
    return shlex.join(words)


def local_path(path: str) -> str:
    """A bot as it is typed in a folder that holds it: nobody needs to know where ours are."""
    return f"./{Path(path).name}" if Path(path).is_absolute() else path


def clock_argument(limits: Limits) -> str | None:
    """The option that stands for these limits; None if they are the usual ones."""
    usual = asdict(Limits())
    other = {key: seconds for key, seconds in asdict(limits).items() if seconds != usual[key]}
    return ",".join(f"{key}={seconds:g}" for key, seconds in other.items()) or None


MAX_PER_BOT, MIN_PER_BOT = 20, 3
"""Faults that are told of a bot, and where very many bots have some; the others are counted."""
MAX_TOTAL = 4000
"""About so many are told of all bots together: each is looked up in its record."""


class FaultDetails(NamedTuple):
    """A fault of a bot."""

    fault: FaultRow
    evidence: Evidence
    commands: tuple[str, ...]
    """To look at the game, and to play it again."""

    def without_stderr(self) -> "FaultDetails":
        """The same without what the bot wrote to stderr, which is its owner's business."""
        return self._replace(evidence=replace(self.evidence, stderr=""))


def load_faults(run: Run, *, hide_stderr: bool = False) -> Mapping[str, tuple[FaultDetails, ...]]:
    """The faults of all bots that have any, as many as are told; without stderr if hidden."""
    counts: Counter[str] = Counter()
    for (name, _), count in run.fault_counts().items():
        counts[name] += count
    most = max(MIN_PER_BOT, min(MAX_PER_BOT, MAX_TOTAL // max(len(counts), 1)))
    wanted = {name: min(most, count) for name, count in counts.items()}
    found: dict[str, list[FaultDetails]] = {name: [] for name in counts}
    for fault in run.faults() if wanted else ():
        if fault.bot in wanted:
            told = load_fault(run, fault)
            found[fault.bot].append(told.without_stderr() if hide_stderr else told)
            if len(found[fault.bot]) == wanted[fault.bot]:
                del wanted[fault.bot]
        if not wanted:
            break
    return {name: tuple(own) for name, own in found.items()}


def load_fault(run: Run, fault: FaultRow) -> FaultDetails:
    """A fault with all that belongs to it, as far as that can be found."""
    evidence, level = Evidence(), None
    with suppress(ArenaError, IndexError):  # for arena verify to tell; the fault itself is known
        key, turn = run.find_game(fault.game)
        session = run.session_of(key)
        level = session.sandbox if session else None
        evidence = find_evidence(fault, unpack_games(run.block(key).kept)[turn].record.faults)
    again = play_command(
        run.header, fault.variant, fault.bots, fault.seed, fault.turn, level, format_path=local_path
    )
    show = shlex.join(["arena", "show", run.name, fault.game])
    return FaultDetails(fault, evidence, (show, again))


def find_evidence(fault: FaultRow, recorded: Iterable[Fault]) -> Evidence:
    """What a record says about a fault."""
    wanted = fault.seat, fault.fault, fault.place
    found = (one.evidence for one in recorded if (one.seat, one.fault, one.place) == wanted)
    return next(found, Evidence())
