"""Bot caches and labs that tests share, and who else uses them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from distributed import client, protocol
from distributed.comm import tcp
from distributed.protocol import pickle

from arena.cluster.bot_cache import BotCache
from tests.cluster.bot_caches import BotHolder
from tests.cluster.dask_cluster import Lab, Worker
from tests.cluster.disturbed_runs import PATIENT, SIZES, play_undisturbed
from tests.conftest import MakeOnce
from tests.tournaments.small_runs import UndisturbedRun


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
def cache(tmp_path: Path) -> BotCache:
    """An empty bot cache with room for anything."""
    return BotCache(tmp_path / "machine" / "shelf", 1 << 40)


@pytest.fixture
def holders() -> Iterator[list[BotHolder]]:
    """Other processes, ended at last."""
    started: list[BotHolder] = []
    yield started
    for one in started:
        one.close()


@pytest.fixture(scope="module", params=["small", pytest.param("full", marks=pytest.mark.soak)])
def size(request: pytest.FixtureRequest) -> str:
    """The size of a tournament and of what happens to it."""
    assert request.param in SIZES
    return str(request.param)


@pytest.fixture(scope="module")
def undisturbed_run(size: str, make_once: MakeOnce) -> UndisturbedRun:
    """The same tournament played on one machine."""
    return UndisturbedRun.of(make_once(f"cluster-{size}", partial(play_undisturbed, size=size)))


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab with a scheduler, for all tests of a module."""
    with Lab(tmp_path_factory.mktemp("lab")) as found:
        found.scheduler(env=PATIENT)
        yield found


@pytest.fixture
def lab(shared_lab: Lab) -> Iterator[Lab]:
    """A lab with a scheduler that no worker has joined."""
    yield shared_lab
    if not shared_lab.head.alive:
        shared_lab.head.restart()
    for one in shared_lab.programs:
        if isinstance(one, Worker):
            if shared_lab.namespaces:
                one.heal()  # else the scheduler would not notice that it is gone
            one.kill()
    shared_lab.wait_for_workers(0)
