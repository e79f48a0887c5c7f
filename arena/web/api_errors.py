"""API errors: a status code, one sentence and optional headers."""

from collections.abc import Mapping

from msgspec import Struct


class Problem(Struct, frozen=True):
    """The body of an error response."""

    error: str
    """One sentence."""


class ApiError(Exception):
    """An error response: a status and one sentence."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = dict(headers or {})

    @property
    def problem(self) -> Problem:
        """The body of the response."""
        return Problem(self.sentence)


def retry_later_error(status: int, sentence: str, seconds: int) -> ApiError:
    """An error for a request that may succeed after some seconds."""
    return ApiError(status, sentence, {"retry-after": str(seconds)})
