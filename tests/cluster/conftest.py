"""Shelves that tests share, and who else uses them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import client, protocol
from distributed.comm import tcp
from distributed.protocol import pickle

from arena.cluster.shelf import Shelf
from tests.cluster.shelves import Holder


@pytest.fixture(autouse=True)
def unprotected() -> Iterator[None]:
    """Restore Dask after a test, since a coordinator protects the whole process."""
    known = (
        (protocol, "loads"),
        (pickle, "loads"),
        (client, "loads"),
        (client.Client, "_default_event_handlers"),
        (tcp, "read_bytes_rw"),
        (tcp, "unpack_frames"),
    )
    with pytest.MonkeyPatch.context() as patch:
        for where, name in known:
            patch.setattr(where, name, getattr(where, name))
        yield


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
