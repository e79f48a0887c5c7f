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
from arena.cluster.dask_decoding import MessageTooLarge, forbid_unpickling
from arena.cluster.messages import (
    ClusterEvent,
    DaskWorker,
    InvalidWorkerReply,
    Outcome,
    PlayOrder,
    ProgressReport,
    Requirements,
    SchedulerLost,
    TaskNotPlayed,
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
"""Seconds after which workers are listed even without news of a change."""
POLL_INTERVAL: Final = 0.5
"""Seconds between two checks whether the scheduler is still there."""
RESULT_RETRY_DELAY: Final = 2.0
"""Seconds after which a result that could not be fetched is requested once more."""
MAX_DASK_LOGS: Final = 1000
"""Lines of Dask that are logged for each connection."""
MAX_THREADS: Final = 1024
"""The largest number of threads of a worker that is accepted."""

CONNECT_ERRORS: Final = (OSError, ValueError, RuntimeError, TypeError, AssertionError, ImportError)
"""What Dask raises if no scheduler answers, or the address is wrong."""

EventCallback = Callable[[ClusterEvent], None]


class SchedulerUnavailable(ArenaError):
    """No scheduler answers at an address."""


class DaskLogHandler(logging.Handler):
    """Puts what Dask logs into the log of the run, at level INFO."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.remaining = MAX_DASK_LOGS

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record, unless there were too many."""
        if self.remaining:
            self.remaining -= 1
            LOG.info("Dask: %s", record.getMessage())


def redirect_dask_logs() -> None:
    """Keep all loggers of Dask from printing."""
    handler = DaskLogHandler(logging.WARNING)
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logger = logging.getLogger(name)
            logger.handlers = [handler]
            logger.propagate = False


class DaskConnection:
    """A connection to a scheduler; it posts events from a thread of its own."""

    def __init__(self, scheduler: SchedulerAddress, post: EventCallback) -> None:
        redirect_dask_logs()
        forbid_unpickling()
        self.post = post
        self.topic = f"{PACKAGE}-{uuid.uuid4().hex}"
        self.futures: dict[tuple[int, int], Future] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        """Running tasks; the event loop itself keeps no references to them."""
        self.workers_changed = asyncio.Event()
        security = load_security(scheduler)
        address_option = (
            {"scheduler_file": scheduler.location}
            if scheduler.is_file
            else {"address": scheduler.location}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # we check versions
            try:
                self.client = Client(
                    **address_option,
                    security=security,
                    timeout=CONNECT_TIMEOUT,
                    set_as_default=False,
                    deserializers=["msgpack"],
                )
            except CONNECT_ERRORS as error:
                raise SchedulerUnavailable(
                    f"no Dask scheduler answers at {scheduler.location} ({error_line(error)}); "
                    "start one with 'dask scheduler', or name another with --on"
                ) from error
        self.comm = self.client.scheduler_comm
        """The connection of our subscriptions; Dask may silently replace it when it breaks."""
        self.client.subscribe_topic("all", self.handle_scheduler_event)
        self.client.subscribe_topic(self.topic, self.handle_worker_event)
        self.run_in_background(self.count_workers())
        self.run_in_background(self.watch_connection())

    def run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the thread of the connection."""

        def start() -> None:
            task = asyncio.ensure_future(coroutine)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        self.client.loop.add_callback(start)

    def handle_scheduler_event(self, event: tuple[float, Any]) -> None:
        """Handle an event of the scheduler about all workers."""
        match event:
            case (_, {"action": "remove-worker", "worker": str(address), **other}):
                self.post(WorkerLeft(address, bool(other.get("expected"))))
            case (_, {"action": "add-worker"}):
                self.workers_changed.set()

    def handle_worker_event(self, event: tuple[float, Any]) -> None:
        """Handle an event of a worker about one of our tasks."""
        match event:
            case (_, {"worker": str(address), **progress}):
                with suppress(msgspec.ValidationError):  # which no honest worker sends
                    self.post(ProgressReport(address, msgspec.convert(progress, TaskProgress)))

    @property
    def is_connected(self) -> bool:
        """Whether the connection to the scheduler is still the first one."""
        report_task = self.client._handle_report_task  # it ends at messages that it does not expect
        return (
            self.client.status == "running"
            and self.client.scheduler_comm is self.comm
            and not report_task.done()
        )

    async def watch_connection(self) -> None:
        """Post an event when the scheduler is gone."""
        while self.is_connected:
            await asyncio.sleep(POLL_INTERVAL)
        self.post(SchedulerLost())

    async def count_workers(self) -> None:
        """List the workers, and again whenever they may have changed."""
        while self.is_connected:
            self.workers_changed.clear()
            with suppress(OSError, TimeoutError):  # the scheduler is gone, see `watch_connection`
                found = await self.client.scheduler.identity(n_workers=-1)
                self.post(WorkerList(parse_workers(found)))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.workers_changed.wait(), COUNT_INTERVAL)

    def request_worker_info(self, address: str, requirements: Requirements) -> None:
        """Ask a worker for its information; the answer is posted."""
        self.run_in_background(self.fetch_worker_info(address, requirements))

    async def fetch_worker_info(self, address: str, requirements: Requirements) -> None:
        """Check that a worker has the same release, then ask it for its information."""
        try:
            request = {"op": "versions", "packages": [PACKAGE]}
            answers = await self.client.scheduler.broadcast(msg=request, workers=[address])
            found = answers[address]
            python = ".".join(str(found["host"]["python"]).split(".")[:3])
            refusal = find_version_mismatch(python, found["packages"].get(PACKAGE))
            info = None
            if not refusal:
                replies = await self.client.run(packed_worker_info, requirements, workers=[address])
                answer = unpack_worker_info(replies[address])
                if isinstance(answer, InvalidWorkerReply):
                    refusal = answer.text
                else:
                    info, refusal = answer, find_info_mismatch(answer)
        except (OSError, KeyError):  # it is gone, see `handle_scheduler_event`
            return
        except Exception as error:
            refusal, info = f"it cannot say what it is ({error_line(error)})", None
        self.post(WorkerInfoReply(address, info, refusal))

    def submit(self, order: PlayOrder, address: str) -> None:
        """Send an order to a worker; its outcome is posted."""
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
        """Wait for the outcome of an order, and post it."""
        outcome: Outcome | InvalidWorkerReply | TaskFailure | None = None
        try:
            await future._state.wait()
            if future.status == "finished":
                outcome = unpack_outcome(await self.fetch_result(future))
            elif future.status != "cancelled":
                outcome = TaskFailure(number, "Dask could not have it played: see the worker's log")
        except MessageTooLarge as error:
            outcome = InvalidWorkerReply(error_line(error))
        except Exception as error:
            outcome = TaskFailure(number, f"Dask could not have it played: {error_line(error)}")
        if not self.is_connected:
            return  # see `watch_connection`; the task is sent again later
        if self.futures.pop((number, attempt), None) is not None:
            self.post(TaskReturned(number, attempt, outcome))
        with suppress(Exception):
            future.release()

    async def fetch_result(self, future: Future) -> object:
        """Get a result by a separate request, so that no other worker can affect it."""
        gather = self.client.scheduler.gather
        try:
            found = await gather(keys=[future.key])
        except MessageTooLarge:
            raise
        except OSError:  # if the scheduler is gone, `watch_connection` notices it by the retry
            found = {"status": "error"}
        if found["status"] != "OK":  # the worker may be leaving, and its results with it
            await asyncio.sleep(RESULT_RETRY_DELAY)
            found = await gather(keys=[future.key])
        return found["data"][future.key] if found["status"] == "OK" else None

    def cancel(self, number: int, attempt: int) -> None:
        """Cancel an order; a worker that has started it stops."""
        future = self.futures.pop((number, attempt), None)
        if future is not None:
            future.release()

    def close(self) -> None:
        """Close the connection without waiting."""
        self.futures.clear()
        with suppress(Exception):
            if self.client.status == "running":  # else the requests would fail
                for topic in ("all", self.topic):
                    self.client.unsubscribe_topic(topic)
            self.client.close(timeout=2)

    def close_in_background(self) -> None:
        """Close a broken connection in another thread."""
        threading.Thread(target=self.close, daemon=True).start()


def load_security(scheduler: SchedulerAddress) -> Security:
    """The certificates: from the named files, or else from Dask's configuration."""
    try:
        security = (
            Security(**scheduler.tls, require_encryption=True) if scheduler.tls else Security()
        )
        context = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # a missing file, or one that does not fit the others
        raise SchedulerUnavailable(
            f"the certificates cannot be used: {error_line(error)}"
        ) from error
    if scheduler.location.startswith(("tls:", "wss:")) and context is None:
        raise SchedulerUnavailable(
            f"{scheduler.location} asks for certificates: name ca, cert and key below "
            "'backend.dask', or in Dask's own configuration below 'distributed.comm.tls'"
        )
    return security


def parse_workers(identity: Any) -> dict[str, DaskWorker]:
    """The workers in the scheduler's description; invalid entries are left out."""
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


def error_line(error: BaseException) -> str:
    """The text of an error, on one line."""
    return cut_middle(" ".join(str(error).split())) or type(error).__name__


async def packed_worker_info(requirements: Requirements) -> bytes:
    """Collect the information about the worker that this runs in, packed."""
    return pack_message(await asyncio.to_thread(collect_worker_info, requirements))


RUNNER: list[OrderRunner] = []
RUNNER_LOCK = threading.Lock()


def order_runner() -> OrderRunner:
    """The runner of this worker process, created at the first call."""
    with RUNNER_LOCK:
        if not RUNNER:
            RUNNER.append(OrderRunner())
        return RUNNER[0]


class RemoteOrder:
    """An order that runs where it is unpickled.

    Schedulers unpickle what they pass on. So a task is only bytes and a function of the standard
    library, and schedulers need not have this program.
    """

    def __init__(self, order: PlayOrder, topic: str) -> None:
        self.order = order
        self.topic = topic

    def __reduce__(self) -> tuple[Callable[[PlayOrder, str], bytes], tuple[PlayOrder, str]]:
        """The call that unpickling makes."""
        return run_order, (self.order, self.topic)


def run_order(order: PlayOrder, topic: str) -> bytes:
    """Carry out an order in the worker that this runs in; return its outcome, packed."""
    worker = get_worker()
    key = worker.get_current_task()

    def send_progress(progress: TaskProgress) -> None:
        worker.log_event(topic, msgspec.to_builtins(progress))

    def is_wanted() -> bool:
        known = worker.state.tasks.get(key)
        if known is None or known.state in {"cancelled", "resumed"}:
            return False
        return worker.status.name in {"running", "paused"}  # and is not about to leave

    try:
        return pack_message(order_runner().run(order, send_progress, is_wanted))
    except Exception as error:  # the coordinator reads no exceptions
        LOG.exception("an order cannot be carried out")
        return pack_message(TaskNotPlayed(f"{type(error).__name__}: {error_line(error)}"))
