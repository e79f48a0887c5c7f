"""The court: finds faults, keeps what shows them, and sees that no innocent seat pays."""

import time

from arena.bots.usage import NANO
from arena.errors import BadBot, HarnessFailure, Killed
from arena.match.faults import FATAL, Evidence, Fault, Policy
from arena.match.player import Asked, Player
from arena.match.record import Stopped
from arena.match.switchboard import Switchboard
from arena.match.table import Table
from arena.match.terms import Terms
from arena.protocol.messages import Fault as FaultMessage
from arena.protocol.messages import FaultKind

STARTS = 2
"""A bot that fails to start as often in a row is asked no more."""

IDLE = 0.1
"""The share of the time up to which a bot seems to wait for something."""

FLUSH = "; does it flush its stdout after each line, and answer before its stdin ends?"


class Court:
    """Judges the bots of one table."""

    def __init__(
        self,
        switchboard: Switchboard,
        terms: Terms,
        moving: list[Table],
    ) -> None:
        self.switchboard = switchboard
        self.terms = terms
        self.moving = moving
        """Games in which no choice is missing."""

    def fault(  # noqa: PLR0913 (what is not known is left out)
        self,
        player: Player,
        kind: FaultKind,
        text: str,
        *,
        reply: bytes | None = None,
        asked: Asked | None = None,
        table: Table | None = None,
        fatal: bool = False,
    ) -> None:
        """A bot broke the protocol: in the game of its oldest question, or the oldest it holds."""
        asked = asked or (None if table else player.oldest())
        table = table or (asked.table if asked else player.current())
        evidence = player.evidence(asked, table, reply, time.monotonic_ns())
        player.faults += 1
        player.last_fault = kind
        fatal = fatal or kind in FATAL
        if fatal:
            self.switchboard.disconnect(player)
            player.lapse = None
        if table is None:
            player.unplaced = (kind, text, evidence)
            player.out.append(FaultMessage(None, None, kind, text))
        else:
            self.blame(player, table, kind, text, evidence, fatal=fatal)
        if player.faults >= self.terms.retire:
            self.retire(player)
        elif player.process is None and player.tables:
            self.restart(player)

    def restart(self, player: Player) -> None:
        """Start a bot once more; that it cannot be started any more is its fault."""
        try:
            self.switchboard.connect(player)
        except BadBot as error:
            self.failed_start(player, str(error))

    def failed_start(
        self, player: Player, text: str, reply: bytes | None = None, kind: FaultKind = "start"
    ) -> None:
        """A bot did not get ready: lost are the games it was to take over."""
        evidence = player.evidence(None, None, reply or None, time.monotonic_ns())
        self.switchboard.disconnect(player)
        player.faults += 1
        player.last_fault = kind
        player.failed_starts += 1
        held = list(player.tables.values())
        for table in held:
            self.blame(player, table, kind, text, evidence)
        if not held:
            player.unplaced = (kind, text, evidence)
        if player.failed_starts >= STARTS or player.faults >= self.terms.retire:
            self.retire(player)

    def blame(  # noqa: PLR0913 (a fault has that many parts)
        self,
        player: Player,
        table: Table,
        kind: FaultKind,
        text: str,
        evidence: Evidence,
        *,
        fatal: bool = True,
    ) -> None:
        """Write down a fault in a game, and choose in the bot's place."""
        asked = next((asked for asked in player.open.values() if asked.table is table), None)
        place = len(table.made) + asked.place if asked else None
        seat = table.sits[player.place]
        found = Fault(seat, kind, text, place, evidence)
        table.faults.append(found)
        if self.terms.policy is Policy.STRICT:
            stderr = tuple(said.text() for said in table.said)
            raise Stopped(found, table.record(stopped=True), stderr)
        if fatal or self.terms.policy is Policy.FORFEIT:
            table.out.add(seat)
        if fatal:
            player.tables.pop(table.number, None)
        elif player.process:
            number = asked.question.id if asked else None
            player.out.append(FaultMessage(table.number, number, kind, text))
        if asked:
            del player.open[asked.question.id]
            self.settle(table, asked.place, asked.question.options[0])

    def settle(self, table: Table, place: int, choice: str) -> None:
        """Take a choice; the game goes on once none is missing."""
        table.choices[place] = choice
        table.missing -= 1
        if not table.missing:
            self.moving.append(table)

    def excuse(self, player: Player) -> None:
        """See whether something else has ended a bot: then it is not to pay for it."""
        process = player.process
        if process and process.killed():
            if self.terms.excuses(player.bot.name):
                raise Killed(player.bot.name, process.excuse)
            raise HarnessFailure(f"{player.bot.name} {process.excuse}")

    def exit(self, player: Player, how: str) -> tuple[FaultKind, str]:
        """The fault of a bot that ended like this."""
        text = self.too_much(player)
        return ("memory", text) if text else ("exited", how)

    def too_much(self, player: Player) -> str:
        """What to say of a bot that the kernel had to kill; nothing if it had not."""
        process = player.process
        if process and process.starved and process.memory:
            return f"it was killed for holding more than {process.memory >> 20} MiB"
        return ""

    def retire(self, player: Player) -> None:
        """A bot has had too many faults: from now on the referee plays for it."""
        self.switchboard.disconnect(player)
        player.retired = True
        for table in list(player.tables.values()):
            self.lose(player, table)

    def lose(self, player: Player, table: Table) -> None:
        """A retired bot loses a game."""
        text = f"it was retired after {player.faults} faults"
        self.blame(player, table, player.last_fault, text, Evidence())


def late(cpu: int, allowed: int) -> str:
    """What to say of an answer that took too long."""
    return f"it took {cpu / NANO:.2f} s of CPU time, {allowed / NANO:.2f} s were left"
