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

MAX_FAULTS_PER_BOT, MIN_FAULTS_PER_BOT = 20, 3
"""Faults with details of each bot, and the least if very many bots have faults."""
MAX_DETAILED_FAULTS = 4000
"""Faults with details of all bots, about: each one is looked up in its record."""


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


class FaultDetails(NamedTuple):
    """A fault with its evidence."""

    fault: FaultRow
    evidence: Evidence
    commands: tuple[str, ...]
    """One shows the game, the other plays it again."""

    def without_stderr(self) -> "FaultDetails":
        """The same without stderr, which only the owner of the bot may read."""
        return self._replace(evidence=replace(self.evidence, stderr=""))


def load_faults(run: Run, *, hide_stderr: bool = False) -> Mapping[str, tuple[FaultDetails, ...]]:
    """Load the first faults of each bot that has any."""
    counts: Counter[str] = Counter()
    for (name, _), count in run.fault_counts().items():
        counts[name] += count
    limit = max(
        MIN_FAULTS_PER_BOT, min(MAX_FAULTS_PER_BOT, MAX_DETAILED_FAULTS // max(len(counts), 1))
    )
    wanted = {name: min(limit, count) for name, count in counts.items()}
    details: dict[str, list[FaultDetails]] = {name: [] for name in counts}
    for fault in run.faults() if wanted else ():
        if fault.bot in wanted:
            one = load_fault(run, fault)
            details[fault.bot].append(one.without_stderr() if hide_stderr else one)
            if len(details[fault.bot]) == wanted[fault.bot]:
                del wanted[fault.bot]
        if not wanted:
            break
    return {name: tuple(own) for name, own in details.items()}


def load_fault(run: Run, fault: FaultRow) -> FaultDetails:
    """Load the evidence of a fault, as far as its record can be read."""
    evidence, level = Evidence(), None
    with suppress(ArenaError, IndexError):  # arena verify reports bad records
        key, turn = run.find_game(fault.game)
        session = run.session_of(key)
        level = session.sandbox if session else None
        evidence = find_evidence(
            fault, unpack_games(run.block(key).packed_games)[turn].record.faults
        )
    replay_command = play_command(
        run.header, fault.variant, fault.bots, fault.seed, fault.turn, level, format_path=local_path
    )
    show_command = shlex.join(["arena", "show", run.name, fault.game])
    return FaultDetails(fault, evidence, (show_command, replay_command))


def find_evidence(fault: FaultRow, recorded: Iterable[Fault]) -> Evidence:
    """The evidence that a record has of a fault."""
    wanted = fault.seat, fault.fault, fault.place
    matching = (one.evidence for one in recorded if (one.seat, one.fault, one.place) == wanted)
    return next(matching, Evidence())
