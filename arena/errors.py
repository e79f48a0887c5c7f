"""Exceptions that the whole program shares, each with a message of one sentence."""


class ArenaError(Exception):
    """A mistake outside the program; the command prints its sentence and exits with 2."""


class UnknownVariant(ArenaError):
    """A name that stands for no variant, or a number of seats it cannot be played with."""


class UnknownSeat(ArenaError):
    """A seat that is not at the table."""


class IllegalChoice(ArenaError):
    """A choice that is not among the options of its decision."""


class BadReplay(ArenaError):
    """Choices that do not make up a game."""


class BadBot(ArenaError):
    """A bot that cannot be run: its manifest, its program or its build is at fault."""


class BadRecord(ArenaError):
    """A file that holds no record of a game."""


class HarnessFailure(ArenaError):
    """Something of ours broke, which no bot is to pay for."""


class BotKilled(HarnessFailure):
    """A bot was killed, and not by its own doing."""

    default_reason = "was killed, which the referee did not do"

    def __init__(self, bot: str, reason: str = "") -> None:
        super().__init__(f"{bot} {reason or self.default_reason}")
        self.bot = bot


class CpuStarvation(BotKilled):
    """A bot hardly ever got a core, and nobody knows whose doing that is."""

    default_reason = "hardly ever got a core; is the machine too busy?"
