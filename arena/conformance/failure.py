"""What a bot can do wrong, and the clauses that say so."""

from typing import NamedTuple


class Due(NamedTuple):
    """When a line is due, and the clauses that say so."""

    ended: str
    """Broken if the output ends instead."""
    late: str
    """Broken if it takes too much CPU time."""
    slow: str
    """Broken if it takes too much real time."""
    cpu: float
    """Seconds of CPU time there are for it."""


class Failure(Exception):
    """What a bot did wrong, against which clause, and what shows it."""

    def __init__(
        self, clause: str, text: str, request: str | None = None, reply: str | None = None
    ) -> None:
        super().__init__(text)
        self.clause = clause
        self.text = text
        self.request = request
        self.reply = reply
