"""Connection to the Dask scheduler, and the functions that Dask runs in its workers."""

import asyncio
import logging
import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import msgspec
from distributed import Client, Future, Security, get_worker
from distributed.versions import VersionMismatchWarning

from arena.cluster.compatibility import (
    PACKAGE,
    collect_worker_info,
    find_info_mismatch,
    find_version_mismatch,
)
from arena.cluster.dask_decoding import MessageTooLarge, protect
from arena.cluster.messages import (
    ClusterEvent,
    DaskWorker,
    InvalidReply,
    NotPlayed,
    Outcome,
    PlayOrder,
    ProgressReport,
    Requirements,
    SchedulerLost,
    TaskProgress,
    TaskReturned,
    WorkerInfoReply,
    WorkerLeft,
    WorkerList,
    pack_message,
    unpack_outcome,
    unpack_worker_info,
)
from arena.cluster.worker import OrderRunner
from arena.errors import ArenaError
from arena.sanitize import MAX_FILE_NAME, cut_middle
from arena.tournaments.config.scheduler_address import SchedulerAddress
from arena.tournaments.play.backend import TaskFailure

LOG = logging.getLogger(__name__)

CONNECT_TIMEOUT: Final = 10.0
"""Seconds in which a scheduler has to answer."""
COUNT_INTERVAL: Final = 10.0
"""Seconds after which workers are counted even if nobody has said that one came or went."""
POLL_INTERVAL: Final = 0.5
"""Seconds between two looks at whether the scheduler is still there."""
RESULT_RETRY_DELAY: Final = 2.0
"""Seconds after which a result that no worker has is asked for once more."""
MAX_DASK_LOGS: Final = 1000
"""What Dask logs is noted so often for each connection."""
MAX_THREADS: Final = 1024
"""Threads of a worker that are believed."""

CONNECT_ERRORS: Final = (OSError, ValueError, RuntimeError, TypeError, AssertionError, ImportError)
"""What Dask raises where nobody answers, or nobody could, as it comes from its depths."""

EventCallback = Callable[[ClusterEvent], None]


class NoScheduler(ArenaError):
    """Nobody answers where a scheduler should be."""


class DaskLogHandler(logging.Handler):
    """Puts what Dask logs into the journal of the run, as no more than a remark."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.remaining = MAX_DASK_LOGS

    def emit(self, record: logging.LogRecord) -> None:
        """Write it down, unless it is too much."""
        if self.remaining:
            self.remaining -= 1
            LOG.info("Dask: %s", record.getMessage())


def redirect_dask_logs() -> None:
    """Let Dask print nothing by itself, by none of its loggers."""
    aside = DaskLogHandler(logging.WARNING)
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            theirs = logging.getLogger(name)
            theirs.handlers = [aside]
            theirs.propagate = False


class DaskConnection:
    """A connection to a scheduler; what happens is posted, from a thread of its own."""

    def __init__(self, scheduler: SchedulerAddress, post: EventCallback) -> None:
        redirect_dask_logs()
        protect()
        self.post = post
        self.topic = f"{PACKAGE}-{uuid.uuid4().hex}"
        self.futures: dict[tuple[int, int], Future] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        """Kept, since the loop itself would forget them."""
        self.workers_changed = asyncio.Event()
        security = load_security(scheduler)
        where = (
            {"scheduler_file": scheduler.location}
            if scheduler.is_file
            else {"address": scheduler.location}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # what matters we look at
            try:
                self.client = Client(
                    **where,
                    security=security,
                    timeout=CONNECT_TIMEOUT,
                    set_as_default=False,
                    deserializers=["msgpack"],
                )
            except CONNECT_ERRORS as error:
                raise NoScheduler(
                    f"no Dask scheduler answers at {scheduler.location} ({reason(error)}); "
                    f"start one with "
                    "'dask scheduler', or name another with --on"
                ) from error
        self.comm = self.client.scheduler_comm
        """What we subscribe on; Dask may make another when this one breaks, and tells nobody."""
        self.client.subscribe_topic("all", self.handle_scheduler_event)
        self.client.subscribe_topic(self.topic, self.handle_worker_event)
        self.run_in_background(self.count_workers())
        self.run_in_background(self.watch_connection())

    def run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside everything else, in the thread of the connection."""

        def start() -> None:
            task = asyncio.ensure_future(coroutine)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        self.client.loop.add_callback(start)

    def handle_scheduler_event(self, event: tuple[float, Any]) -> None:
        """Take what the scheduler says about all."""
        match event:
            case (_, {"action": "remove-worker", "worker": str(address), **other}):
                self.post(WorkerLeft(address, bool(other.get("expected"))))
            case (_, {"action": "add-worker"}):
                self.workers_changed.set()

    def handle_worker_event(self, event: tuple[float, Any]) -> None:
        """Take what a worker says about a task of ours."""
        match event:
            case (_, {"worker": str(address), **told}):
                with suppress(msgspec.ValidationError):  # which no honest worker says
                    self.post(ProgressReport(address, msgspec.convert(told, TaskProgress)))

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler is still the one that we have spoken to."""
        listening = self.client._handle_report_task  # it ends at messages that it does not expect
        return (
            self.client.status == "running"
            and self.client.scheduler_comm is self.comm
            and not listening.done()
        )

    async def watch_connection(self) -> None:
        """Say when the scheduler is gone."""
        while self.is_connected:
            await asyncio.sleep(POLL_INTERVAL)
        self.post(SchedulerLost())

    async def count_workers(self) -> None:
        """Count the workers, and again whenever there may be others."""
        while self.is_connected:
            self.workers_changed.clear()
            with suppress(OSError, TimeoutError):  # the scheduler is gone, which is seen elsewhere
                found = await self.client.scheduler.identity(n_workers=-1)
                self.post(WorkerList(parse_workers(found)))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.workers_changed.wait(), COUNT_INTERVAL)

    def request_worker_info(self, address: str, requirements: Requirements) -> None:
        """Ask a worker what it is; what it answers is posted."""
        self.run_in_background(self.fetch_worker_info(address, requirements))

    async def fetch_worker_info(self, address: str, requirements: Requirements) -> None:
        """Ask it; before it is known to have the same program, nothing of ours is sent to it."""
        try:
            question = {"op": "versions", "packages": [PACKAGE]}
            answers = await self.client.scheduler.broadcast(msg=question, workers=[address])
            found = answers[address]
            python = ".".join(str(found["host"]["python"]).split(".")[:3])
            refused = find_version_mismatch(python, found["packages"].get(PACKAGE))
            facts = None
            if not refused:
                told = await self.client.run(packed_worker_info, requirements, workers=[address])
                answer = unpack_worker_info(told[address])
                if isinstance(answer, InvalidReply):
                    refused = answer.text
                else:
                    facts, refused = answer, find_info_mismatch(answer)
        except (OSError, KeyError):  # it is gone, which is said elsewhere
            return
        except Exception as error:
            refused, facts = f"it cannot say what it is ({reason(error)})", None
        self.post(WorkerInfoReply(address, facts, refused))

    def submit(self, order: PlayOrder, address: str) -> None:
        """Send an order to a worker; what comes of it is posted."""
        key = (order.task.number, order.attempt)
        future = self.client.submit(
            pickle.loads,
            pickle.dumps(RemoteOrder(order, self.topic)),
            key=f"{self.topic}-{key[0]}-{key[1]}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
            priority=-order.task.number,
        )
        self.futures[key] = future
        self.run_in_background(self.await_outcome(future, *key))

    async def await_outcome(self, future: Future, number: int, attempt: int) -> None:
        """Wait for what comes of an order."""
        outcome: Outcome | InvalidReply | TaskFailure | None = None
        try:
            await future._state.wait()
            if future.status == "finished":
                outcome = unpack_outcome(await self.fetch_result(future))
            elif future.status != "cancelled":
                outcome = TaskFailure(number, "Dask could not have it played: see the worker's log")
        except MessageTooLarge as error:
            outcome = InvalidReply(reason(error))
        except Exception as error:
            outcome = TaskFailure(number, f"Dask could not have it played: {reason(error)}")
        if not self.is_connected:
            return  # which is said elsewhere, and nobody is to blame
        if self.futures.pop((number, attempt), None) is not None:
            self.post(TaskReturned(number, attempt, outcome))
        with suppress(Exception):
            future.release()

    async def fetch_result(self, future: Future) -> object:
        """Get a result by a request of its own, so that no other worker can spoil it."""
        found = await self.client.scheduler.gather(keys=[future.key])
        if found["status"] != "OK":  # the worker may be leaving, and its results with it
            await asyncio.sleep(RESULT_RETRY_DELAY)
            found = await self.client.scheduler.gather(keys=[future.key])
        return found["data"][future.key] if found["status"] == "OK" else None

    def cancel(self, number: int, attempt: int) -> None:
        """Let an order be; a worker that is at it stops."""
        future = self.futures.pop((number, attempt), None)
        if future is not None:
            future.release()

    def close(self) -> None:
        """Let go of everything; nothing is waited for."""
        self.futures.clear()
        with suppress(Exception):
            if self.client.status == "running":  # else it would be told what nobody hears
                for topic in ("all", self.topic):
                    self.client.unsubscribe_topic(topic)
            self.client.close(timeout=2)

    def close_in_background(self) -> None:
        """Let go of a connection that is broken, without waiting for that."""
        threading.Thread(target=self.close, daemon=True).start()


def load_security(scheduler: SchedulerAddress) -> Security:
    """How to prove who we are: by the files that were named, or those in Dask's configuration."""
    try:
        security = (
            Security(**scheduler.tls, require_encryption=True) if scheduler.tls else Security()
        )
        proof = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # a file that is none, or does not fit the others
        raise NoScheduler(f"the certificates cannot be used: {reason(error)}") from error
    if scheduler.location.startswith(("tls:", "wss:")) and proof is None:
        raise NoScheduler(
            f"{scheduler.location} asks for certificates: name ca, cert and key below "
            f"'backend.dask', or in "
            "Dask's own configuration below 'distributed.comm.tls'"
        )
    return security


def parse_workers(identity: Any) -> dict[str, DaskWorker]:
    """The workers as the scheduler describes them; what is no such description is left out."""
    found = {}
    with suppress(AttributeError, KeyError, TypeError):
        for address, one in identity["workers"].items():
            match one:
                case {"name": name, "nthreads": int(threads)}:
                    known = DaskWorker(
                        cut_middle(str(name), MAX_FILE_NAME), min(max(threads, 1), MAX_THREADS)
                    )
                    found[str(address)] = known
    return found


def reason(error: BaseException) -> str:
    """What an error says, on one line."""
    return cut_middle(" ".join(str(error).split())) or type(error).__name__


async def packed_worker_info(requirements: Requirements) -> bytes:
    """What the worker is in which this is called, packed."""
    return pack_message(await asyncio.to_thread(collect_worker_info, requirements))


RUNNER: list[OrderRunner] = []
RUNNER_LOCK = threading.Lock()


def order_runner() -> OrderRunner:
    """The station of this process."""
    with RUNNER_LOCK:
        if not RUNNER:
            RUNNER.append(OrderRunner())
        return RUNNER[0]


class RemoteOrder:
    """An order that is carried out where it is unpickled.

    Schedulers look into all that they pass on. So they are shown nothing but bytes and a function
    of Python's own, and need not have this program.
    """

    def __init__(self, order: PlayOrder, topic: str) -> None:
        self.order = order
        self.topic = topic

    def __reduce__(self) -> tuple[Callable[[PlayOrder, str], bytes], tuple[PlayOrder, str]]:
        """What to call, and with what."""
        return run_order, (self.order, self.topic)


def run_order(order: PlayOrder, topic: str) -> bytes:
    """Carry out an order in the worker in which this is called; what came of it, packed."""
    worker = get_worker()
    key = worker.get_current_task()

    def say(said: TaskProgress) -> None:
        worker.log_event(topic, msgspec.to_builtins(said))

    def wanted() -> bool:
        known = worker.state.tasks.get(key)
        if known is None or known.state in {"cancelled", "resumed"}:
            return False
        return worker.status.name in {"running", "paused"}  # and is not about to leave

    try:
        return pack_message(order_runner().run(order, say, wanted))
    except Exception as error:  # the coordinator reads no exceptions
        LOG.exception("an order cannot be carried out")
        return pack_message(NotPlayed(f"{type(error).__name__}: {reason(error)}"))
