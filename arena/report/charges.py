"""Charges: the faults of bots with their evidence, and the commands that show them again."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.match.faults import Evidence, Fault
from arena.report.reproduction import beside, reproduction
from arena.store.block import unpack
from arena.store.listing import Faulted
from arena.store.run import Run

MOST, FEWEST = 20, 3
"""Faults that are told of a bot, and where very many bots have some; the others are counted."""
IN_ALL = 4000
"""About so many are told of all bots together: each is looked up in its record."""


class Charge(NamedTuple):
    """A fault of a bot."""

    fault: Faulted
    evidence: Evidence
    commands: tuple[str, ...]
    """To look at the game, and to play it again."""

    def quiet(self) -> "Charge":
        """The same without what the bot wrote to stderr, which is its owner's business."""
        return self._replace(evidence=replace(self.evidence, stderr=""))


def charges(run: Run, *, hidden: bool = False) -> Mapping[str, tuple[Charge, ...]]:
    """The faults of all bots that have any, as many as are told; without stderr if hidden."""
    counts: Counter[str] = Counter()
    for (name, _), count in run.faulted().items():
        counts[name] += count
    most = max(FEWEST, min(MOST, IN_ALL // max(len(counts), 1)))
    wanted = {name: min(most, count) for name, count in counts.items()}
    found: dict[str, list[Charge]] = {name: [] for name in counts}
    for fault in run.faults() if wanted else ():
        if fault.bot in wanted:
            told = charge(run, fault)
            found[fault.bot].append(told.quiet() if hidden else told)
            if len(found[fault.bot]) == wanted[fault.bot]:
                del wanted[fault.bot]
        if not wanted:
            break
    return {name: tuple(own) for name, own in found.items()}


def charge(run: Run, fault: Faulted) -> Charge:
    """A fault with all that belongs to it, as far as that can be found."""
    evidence, level = Evidence(), None
    with suppress(ArenaError, IndexError):  # for arena verify to tell; the fault itself is known
        key, turn = run.find(fault.game)
        session = run.session_of(key)
        level = session.sandbox if session else None
        evidence = evidence_of(fault, unpack(run.block(key).kept)[turn].record.faults)
    again = reproduction(
        run.header, fault.variant, fault.bots, fault.seed, fault.turn, level, typed=beside
    )
    show = shlex.join(["arena", "show", run.name, fault.game])
    return Charge(fault, evidence, (show, again))


def evidence_of(fault: Faulted, recorded: Iterable[Fault]) -> Evidence:
    """What a record says about a fault."""
    wanted = fault.seat, fault.fault, fault.place
    found = (one.evidence for one in recorded if (one.seat, one.fault, one.place) == wanted)
    return next(found, Evidence())
