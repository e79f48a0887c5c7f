"""The ladders of `tests.ladder`, for the commands that are about them."""

from tests.ladder.conftest import (
    build_cache,
    copy_shared_ladder,
    empty_ladder,
    ladder,
    played_ladder,
)

__all__ = ["build_cache", "copy_shared_ladder", "empty_ladder", "ladder", "played_ladder"]
