"""The terms games are played on: time, what follows from faults, how many games at once."""

from dataclasses import dataclass, field

from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.bots.usage import NANO
from arena.match.faults import Policy
from arena.protocol.messages import Limits

AT_ONCE = 64
"""Games played at once, if the bots can: more gain nothing."""


@dataclass(frozen=True)
class Terms:
    """What is agreed before the first game."""

    limits: Limits | None = field(default_factory=Limits)
    """None: no clock runs."""
    policy: Policy = Policy.STAND_IN
    retire: int = 10
    """After so many faults a bot is asked no more."""
    games: int = AT_ONCE
    anonymous: bool = True
    excuse: bool = False
    """Whether a bot that the machine kills stops everything, since that is not its doing."""
    paying: frozenset[str] = frozenset()
    """The bots that are excused no more, since they have used up their excuses."""
    sandbox: Sandbox = OPEN
    """The walls around each bot."""
    grace: float = 1.0
    """Seconds a bot has to end by itself once its stdin is closed, and as many after TERM."""

    @property
    def bank(self) -> int:
        """Nanoseconds a bot has in each game beyond those for its moves."""
        return round(self.limits.bank * NANO) if self.limits else 0

    def excuses(self, bot: str) -> bool:
        """Whether this bot is excused if the machine kills it or keeps it from running."""
        return self.excuse and bot not in self.paying

    def __post_init__(self) -> None:
        if self.games < 1 or self.retire < 1:
            raise ValueError("at least one game at once, and one fault before a bot is retired")
