"""The patrol: looks now and then whether bots keep to their limits, and the machine runs on."""

from collections.abc import Sequence

from arena.bots.usage import NANO
from arena.errors import CrowdedOut
from arena.match.court import FLUSH, IDLE, Court, late
from arena.match.patience import STRETCH, Canary
from arena.match.player import Asked, Player
from arena.protocol.messages import Limits

WORTH_SAYING = NANO // 10
"""Nanoseconds that a bot has to wait for a core before anybody is told."""


class Patrol:
    """Watches over the bots of one table."""

    def __init__(self, court: Court, players: Sequence[Player]) -> None:
        self.court = court
        self.players = players
        self.canary = Canary()

    def walk(self, now: int) -> None:
        """Look at clocks and memory, and for news from the warden."""
        self.court.switchboard.launcher.listen()
        stall = self.canary.stall(now)
        for player in self.players:
            if stall:
                player.stalled(now, stall)
            self.check(player, now)

    def check(self, player: Player, now: int) -> None:
        """Whether a running bot keeps to its limits."""
        process, limits = player.process, self.court.terms.limits
        if process is None:
            return
        process.look()
        if process.deaf and player.open:
            self.court.excuse(player)
            self.court.fault(player, *self.court.exit(player, "it closed its stdin"))
        elif excess := process.excess():
            if player.ready:
                self.court.fault(player, "memory", excess)
            else:
                self.court.failed_start(player, excess, kind="memory")
        elif limits:
            cpu = process.cpu() - player.cpu_mark
            if not player.ready:
                self.check_start(player, limits, now, cpu)
            elif asked := player.oldest():
                player.patience.watch(player.wall_mark, now, process.guard)
                self.check_answer(player, asked, limits, now, cpu)

    def overdue(self, player: Player, now: int, allowed: float) -> bool:
        """Whether it took more real time than that, but for what the machine kept from it."""
        wall = now - player.wall_mark
        if wall <= allowed * NANO or player.process is None:
            return False
        waits = player.patience.waits_still(now, player.process.guard)
        if not waits and wall - player.patience.waited > allowed * NANO:
            return True
        if wall > STRETCH * allowed * NANO:
            if self.court.terms.excuses(player.bot.name):
                raise CrowdedOut(player.bot.name)
            return True
        return False

    def check_start(self, player: Player, limits: Limits, now: int, cpu: int) -> None:
        """Whether it is still in time to get ready."""
        busy = cpu > limits.start * NANO
        if busy or self.overdue(player, now, max(limits.start, limits.wall)):
            wall = now - player.wall_mark
            spent = f"{wall / NANO:.1f} s, {cpu / NANO:.1f} s of them CPU time{crowded(player)}"
            text = f"it did not say 'ready' in {spent}"
            if player.heard:
                text = f"its first line has no newline at its end, after {spent}"
            elif cpu < IDLE * wall:
                text += FLUSH
            self.court.failed_start(player, text, player.heard)

    def check_answer(
        self, player: Player, asked: Asked, limits: Limits, now: int, cpu: int
    ) -> None:
        """Whether it is still in time to answer its oldest question."""
        if len(player.open) == player.fresh:
            return  # it was not sent yet
        allowed = player.move + asked.bank()
        if cpu <= allowed and not self.overdue(player, now, limits.wall):
            return
        wall = now - player.wall_mark
        if player.heard:
            text = f"its answer has no newline at its end, {wall / NANO:.1f} s after the question"
            self.court.fault(player, "malformed", text, reply=player.heard, fatal=True)
        elif cpu > allowed:
            self.court.fault(player, "timeout", late(cpu, allowed))
        else:
            hint = FLUSH if cpu < IDLE * wall else ""
            text = f"no answer in {wall / NANO:.1f} s of real time{crowded(player)}{hint}"
            self.court.fault(player, "timeout", text)


def crowded(player: Player) -> str:
    """How long a bot has waited for a core, if that is worth saying."""
    waited = player.patience.waited
    return f", {waited / NANO:.1f} s of them without a core" if waited > WORTH_SAYING else ""
