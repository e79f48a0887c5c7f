"""The laboratory holds what it promises: workers that can be lost in any way, and no leftovers."""

import json
import operator
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import Client, Security

from tests.bots.leftover_processes import check_no_leftovers
from tests.cluster.certificates import Tls, certificates
from tests.cluster.dask_cluster import ROOT, TIMEOUT, Lab, Worker
from tests.cluster.process_cleanup import find_marked_processes
from tests.suite.tools import require

pytestmark = pytest.mark.soak
SPACE = Path("/proc/self/ns/net")

ABANDONED = """
import sys, time
from pathlib import Path
from tests.cluster.dask_cluster import Lab

with Lab(Path(sys.argv[1]), namespaces=sys.argv[2] == "True") as lab:
    lab.scheduler()
    lab.worker("one", nanny=True)
    lab.worker("two")
    lab.wait_for_workers(2)
    lab.programs[-1].stop()
    print(lab.mark, flush=True)
    time.sleep(600)
"""
"""A program that makes a lab and does not come to its end."""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab; nothing of it may be left, nor may it have changed our own network."""
    before = network()
    with check_no_leftovers(TIMEOUT):
        with Lab(tmp_path) as found:
            yield found
        assert find_marked_processes(found.mark) == []
    assert network() == before


def network() -> tuple[object, str]:
    """The network of this process: its devices, addresses and routes."""
    return socket.if_nameindex(), Path("/proc/net/fib_trie").read_text()


@contextmanager
def client(lab: Lab, tls: Tls | None = None) -> Iterator[Client]:
    """A client at home."""
    files = tls and Security(
        tls_ca_file=str(tls.ca), tls_client_cert=str(tls.cert), tls_client_key=str(tls.key)
    )
    with lab.inside("home"), Client(lab.head.address, security=files, timeout=TIMEOUT) as found:
        yield found


def test_workers_are_lost_and_come_back(lab: Lab) -> None:
    lab.scheduler()
    workers = [lab.worker("one"), lab.worker("two", nanny=True), lab.worker("three", threads=2)]
    lab.wait_for_workers(3)
    one, two, three = workers
    with client(lab) as asking:
        check_three_networks(lab, workers, asking)
        check_stopped(two, asking)
    check_killed(lab, one, two)
    check_terminated(lab, three)
    check_scheduler_restarts(lab, one)


def check_three_networks(lab: Lab, workers: list[Worker], asking: Client) -> None:
    """Workers join from three nodes, each with a network and a home of its own."""
    assert lab.head.known() == {worker.name: worker.address for worker in workers}
    assert asking.submit(operator.add, 1, 2).result(TIMEOUT) == 3
    threads = {worker.address: 1 + (worker.name == "three") for worker in workers}
    assert asking.nthreads() == threads
    for worker in workers:
        there = {"workers": [worker.address], "pure": False}
        assert asking.submit(os.getpid, **there).result(TIMEOUT) == worker.pid
        home = asking.submit(os.getenv, "HOME", **there).result(TIMEOUT)
        assert Path(home) == lab.folder / worker.node / "home"
    if lab.namespaces:
        spaces = asking.run(os.readlink, str(SPACE))
        assert len({*spaces.values(), str(SPACE.readlink())}) == 4


def check_stopped(worker: Worker, asking: Client) -> None:
    """A worker that is stopped does not answer until it goes on, nor does its nanny."""
    assert len(worker.pids) == 2
    worker.stop()
    future = asking.submit(operator.add, 1, 2, workers=[worker.address], pure=False)
    with pytest.raises(TimeoutError):
        future.result(2)
    worker.go_on()
    assert future.result(TIMEOUT) == 3


def check_killed(lab: Lab, one: Worker, two: Worker) -> None:
    """A worker that is killed is gone, with its nanny, and can be started again."""
    pids = [*one.pids, *two.pids]
    assert len(pids) == 3
    one.kill()
    two.kill()
    lab.wait_for_workers(1)
    assert (one.alive, two.alive) == (False, False)
    assert (one.wait(), two.wait()) == (-signal.SIGKILL, -signal.SIGKILL)
    lab.wait_until(lambda: not {*pids} & {*find_marked_processes(lab.mark)}, "they are gone")
    one.restart()
    lab.wait_for_workers(2)


def check_terminated(lab: Lab, worker: Worker) -> None:
    """A worker that is asked to end does so in order."""
    worker.terminate()
    assert worker.wait() == 0
    lab.wait_for_workers(1)


def check_scheduler_restarts(lab: Lab, one: Worker) -> None:
    """A scheduler comes back where it was, and workers that are started again find it."""
    scheduler = lab.head
    before = scheduler.address
    scheduler.kill()
    assert not scheduler.alive
    assert one.wait() == 0
    scheduler.restart()
    assert (scheduler.address, scheduler.known()) == (before, {})
    one.restart()
    lab.wait_for_workers(1)
    with client(lab) as asking:
        assert asking.submit(operator.add, 1, 2).result(TIMEOUT) == 3


def test_a_disconnected_worker(lab: Lab) -> None:
    """Who is cut off answers nobody, who only hears silence, and answers again afterwards."""
    lab.scheduler()
    one = lab.worker("one")
    lab.wait_for_workers(1)
    assert one.address
    host, _, port = one.address.removeprefix("tcp://").partition(":")
    with client(lab) as asking:
        one.cut()
        with lab.inside("home"), pytest.raises(TimeoutError):
            socket.create_connection((host, int(port)), timeout=1)
        future = asking.submit(operator.add, 1, 2)
        with pytest.raises(TimeoutError):
            future.result(2)
        one.heal()
        assert future.result(TIMEOUT) == 3
    assert list(lab.head.known()) == ["one"]


def test_encrypted(lab: Lab) -> None:
    """With certificates all speak TLS, and who has others does not get in."""
    ours, others = (certificates(lab.folder / name) for name in ("ours", "others"))
    assert lab.scheduler(tls=ours).address.startswith("tls://")
    one = lab.worker("one")
    lab.wait_for_workers(1)
    assert one.address
    assert one.address.startswith("tls://")
    with client(lab, ours) as asking:
        assert asking.submit(operator.add, 1, 2).result(TIMEOUT) == 3
    with pytest.raises(OSError, match="certificate"), client(lab, others):
        pass


def test_loopback(tmp_path: Path) -> None:
    """Without namespaces all works but cutting, which skips the test and says why."""
    with check_no_leftovers(TIMEOUT), Lab(tmp_path, namespaces=False) as lab:
        assert not lab.namespaces
        scheduler = lab.scheduler()
        before = scheduler.address
        scheduler.restart()
        assert scheduler.address == before
        one = lab.worker("one")
        lab.wait_for_workers(1)
        with client(lab) as asking:
            assert asking.submit(operator.add, 1, 2).result(TIMEOUT) == 3
        with pytest.raises(pytest.skip.Exception, match="asked to stay on loopback"):
            one.cut()


def test_commands_have_their_own_home(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command at home has a home of its own, and nothing of how Dask is set up here."""
    monkeypatch.setenv("DASK_LAB__TEST", "1")
    code = """
import dask, json, os
found = os.environ["HOME"], os.getcwd(), dask.config.get("lab", None), dask.config.paths
print(json.dumps(found))
"""
    process = lab.python(code, env={"DASK_LAB__OTHER": "2"})
    out, wrong = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, wrong) == (0, "")
    home, folder, setting, paths = json.loads(out)
    assert (home, folder) == (str(lab.folder / "home/home"), str(lab.folder / "home"))
    assert setting == {"other": 2}
    assert "/etc/dask" not in paths
    assert str(Path.home() / ".config/dask") not in paths


def test_entering_a_namespace(lab: Lab) -> None:
    """A thread is at a node and comes back, also when something goes wrong there."""
    if not lab.namespaces:
        require("ip")
        pytest.skip(f"there are no namespaces: {lab.why}")
    before = SPACE.readlink()
    found = []

    def fail() -> None:
        with lab.inside("one"):
            found.append(SPACE.readlink())
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert SPACE.readlink() == before
    assert found != [before]


def test_a_closed_lab_leaves_nothing(tmp_path: Path) -> None:
    """All is ended when a test has failed, also what detached itself or forgot its mark."""
    before = network()
    lab = Lab(tmp_path)

    def fail() -> None:
        with lab:
            lab.scheduler()
            lab.worker("one", nanny=True).stop()
            lab.run(["setsid", "--fork", "sleep", "600"]).wait()
            lab.run(["sh", "-c", "env -i sleep 600 & wait"])
            lab.run(["env", "-i", "sleep", "600"])
            raise KeyError

    with check_no_leftovers(TIMEOUT), pytest.raises(KeyError):
        fail()
    assert find_marked_processes(lab.mark) == []
    assert network() == before


@pytest.mark.parametrize("namespaces", [True, False])
def test_killed_lab(tmp_path: Path, *, namespaces: bool) -> None:
    """When the process with the lab is killed, all that it has started ends."""
    words = [sys.executable, "-c", ABANDONED, str(tmp_path), str(namespaces)]
    before = network()
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout
        try:
            mark = process.stdout.readline().strip()
            assert len(find_marked_processes(mark)) >= 4
            left = semaphores(find_marked_processes(mark))
        finally:
            process.kill()
    assert find_marked_processes(mark) == []
    assert network() == before
    for path in left:
        path.unlink(missing_ok=True)


def semaphores(pids: Iterable[int]) -> set[Path]:
    """The semaphores of these processes, which stay if all of them are killed together."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]
    return {Path(line.split()[5]) for line in lines if "/sem.mp-" in line}
