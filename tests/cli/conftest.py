"""The ladders of `tests.ladder`, for the commands that are about them."""

from tests.ladder.conftest import bare, cache, copy, ladder, seasoned

__all__ = ["bare", "cache", "copy", "ladder", "seasoned"]
