"""The settings of games: time limits, fault policy, games at once and sandbox."""

from dataclasses import dataclass, field

from arena.bots.resource_usage import NS_PER_SECOND
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from arena.protocol.messages import Limits
from arena.referee.faults import FaultPolicy

GAMES_AT_ONCE = 64
"""Games played at once if the bots can hold them; more gain nothing."""


@dataclass(frozen=True)
class RefereeConfig:
    """The settings under which a referee plays."""

    limits: Limits | None = field(default_factory=Limits)
    """None: no clock runs."""
    policy: FaultPolicy = FaultPolicy.STAND_IN
    max_faults: int = 10
    """A bot with this many faults is retired: it is not asked any more."""
    games_at_once: int = GAMES_AT_ONCE
    anonymous: bool = True
    allows_excuses: bool = False
    """Whether everything stops, without a fault, when the machine kills or starves a bot."""
    bots_without_excuses: frozenset[str] = frozenset()
    """The bots that have used up their excuses."""
    sandbox: Sandbox = NO_SANDBOX
    """The sandbox of each bot."""
    grace: float = 1.0
    """Seconds a bot has to end by itself once its stdin is closed, and as many after TERM."""

    @property
    def move_ns(self) -> int:
        """Nanoseconds of CPU time a bot has for each decision."""
        return round(self.limits.move * NS_PER_SECOND) if self.limits else 0

    @property
    def bank_ns(self) -> int:
        """Nanoseconds of CPU time a bot has in each game beyond those for its decisions."""
        return round(self.limits.bank * NS_PER_SECOND) if self.limits else 0

    def is_excused(self, bot: str) -> bool:
        """Whether this bot is excused if the machine kills it or keeps it from running."""
        return self.allows_excuses and bot not in self.bots_without_excuses

    def __post_init__(self) -> None:
        if self.games_at_once < 1 or self.max_faults < 1:
            raise ValueError("at least one game at once, and one fault before a bot is retired")
