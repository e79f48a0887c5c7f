"""Failures: questions that get another answer than the one that was asked for."""

from collections.abc import Mapping

from msgspec import Struct


class Problem(Struct, frozen=True):
    """What is said when something cannot be answered."""

    error: str
    """One sentence."""


class Failure(Exception):
    """A question that is answered with a status and one sentence."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = dict(headers or {})

    @property
    def said(self) -> Problem:
        """What is said."""
        return Problem(self.sentence)


def later(status: int, sentence: str, seconds: int) -> Failure:
    """Something that is possible again after some time."""
    return Failure(status, sentence, {"retry-after": str(seconds)})
