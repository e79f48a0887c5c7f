"""Faults of bots with their evidence and the commands that reproduce them."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.referee.faults import Evidence, Fault
from arena.store.block import unpack_games
from arena.store.play_command import local_path, play_command
from arena.store.run import Run
from arena.store.search import FaultRow

MAX_FAULTS_PER_BOT, MIN_FAULTS_PER_BOT = 20, 3
"""Faults with details of each bot, and the least if very many bots have faults."""
MAX_DETAILED_FAULTS = 4000
"""Faults with details of all bots, about: each one is looked up in its record."""


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
