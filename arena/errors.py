"""Exceptions that the whole program shares, each with a message of one sentence."""


class ArenaError(Exception):
    """A mistake outside the program; the command prints its sentence and exits with 2."""


class UnknownVariant(ArenaError):
    """A name that is not a variant, or a number of seats that the variant does not allow."""


class UnknownSeat(ArenaError):
    """A seat that is not at the table."""


class IllegalChoice(ArenaError):
    """A choice that is not among the options of its decision."""


class BadReplay(ArenaError):
    """Choices that cannot be replayed as a game."""


class BadBot(ArenaError):
    """A bot that cannot be run: its manifest, its program or its build is at fault."""


class BadRecord(ArenaError):
    """A file or record that is not a valid record of a game."""


class HarnessFailure(ArenaError):
    """A failure of the program or the machine, which is not a fault of any bot."""


class BotKilled(HarnessFailure):
    """A bot was killed by something other than itself or the referee."""

    default_reason = "was killed, which the referee did not do"

    def __init__(self, bot: str, reason: str = "") -> None:
        super().__init__(f"{bot} {reason or self.default_reason}")
        self.bot = bot


class CpuStarvation(BotKilled):
    """A bot hardly ever got a core, for an unknown reason."""

    default_reason = "hardly ever got a core; is the machine too busy?"
