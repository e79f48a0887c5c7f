"""The connection through Dask, to a real scheduler and worker."""

import pytest

from tests.cluster.dask_cluster import TIMEOUT, Lab

FETCH = """
import pickle
import sys

from arena.cluster.dask import DaskConnection
from arena.tournaments.config.scheduler_address import SchedulerAddress

connection = DaskConnection(SchedulerAddress(sys.argv[1]), lambda event: None)
future = connection.client.submit(pickle.loads, pickle.dumps(b"a result"), pure=False)
scheduler, failures = connection.client.scheduler, int(sys.argv[2])
gather = scheduler.gather

async def failing_gather(**request):
    global failures
    if failures:
        failures -= 1
        raise ConnectionResetError("Connection reset by peer")
    return await gather(**request)

scheduler.gather = failing_gather
try:
    print(connection.client.sync(connection.fetch_result, future))
except OSError as error:
    print(error)
connection.close()
"""
"""Fetches a result while requests to the scheduler fail so many times."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failures", "printed"),
    [(0, "b'a result'"), (1, "b'a result'"), (2, "Connection reset by peer")],
)
def test_a_result_is_requested_once_more(lab: Lab, failures: int, printed: str) -> None:
    lab.worker("one")
    lab.wait_for_workers(1)
    fetching = lab.python(FETCH, lab.head.address, str(failures))
    output, _ = fetching.communicate(timeout=TIMEOUT)
    assert output.strip() == printed
