"""A ladder has one server at a time."""

import os
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.web.submission_queue import serve_lock


def test_one_server_at_a_time(tmp_path: Path) -> None:
    with (
        serve_lock(tmp_path),
        pytest.raises(ArenaError, match=f"served by process {os.getpid()} already"),
        serve_lock(tmp_path),
    ):
        pass
    with serve_lock(tmp_path):
        pass


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be written"), serve_lock(tmp_path / "none"):
        pass
