"""Errors: what a person did that cannot be done, said in one sentence."""


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
