"""Shelves that tests share, and who else uses them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cluster.shelf import Shelf
from tests.cluster.shelves import Holder


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """An empty shelf with room for anything."""
    return Shelf(tmp_path / "machine" / "shelf", 1 << 40)


@pytest.fixture
def holders() -> Iterator[list[Holder]]:
    """Other processes, ended at last."""
    started: list[Holder] = []
    yield started
    for one in started:
        one.close()
