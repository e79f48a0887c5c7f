"""The engine that carries orders to workers: Dask, which nothing but this module knows."""

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

from arena.cluster.dask_decoding import MessageTooLarge, protect
from arena.cluster.events import Census, Event, Examined, Heard, Left, Lost, Machine, Returned
from arena.cluster.facts import PACKAGE, gather, outdated, unlike
from arena.cluster.messages import (
    Needs,
    NotPlayed,
    Order,
    Outcome,
    Said,
    Unreadable,
    pack,
    unpack_facts,
    unpack_outcome,
)
from arena.cluster.station import Station
from arena.errors import ArenaError
from arena.printable import LONGEST_NAME, short
from arena.tournaments.address import Address
from arena.tournaments.backend import Failed

LOG = logging.getLogger(__name__)

CONNECT: Final = 10.0
"""Seconds in which a scheduler has to answer."""
COUNT: Final = 10.0
"""Seconds after which workers are counted even if nobody has said that one came or went."""
LOOK: Final = 0.5
"""Seconds between two looks at whether the scheduler is still there."""
MISSING: Final = 2.0
"""Seconds after which a result that no worker has is asked for once more."""
REMARKS: Final = 1000
"""What Dask logs is noted so often for each connection."""
THREADS: Final = 1024
"""Threads of a worker that are believed."""

REFUSALS: Final = (OSError, ValueError, RuntimeError, TypeError, AssertionError, ImportError)
"""What Dask raises where nobody answers, or nobody could, as it comes from its depths."""

Post = Callable[[Event], None]


class NoScheduler(ArenaError):
    """Nobody answers where a scheduler should be."""


class Aside(logging.Handler):
    """Puts what Dask logs into the journal of the run, as no more than a remark."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.left = REMARKS

    def emit(self, record: logging.LogRecord) -> None:
        """Write it down, unless it is too much."""
        if self.left:
            self.left -= 1
            LOG.info("Dask: %s", record.getMessage())


def hush() -> None:
    """Let Dask print nothing by itself, by none of its loggers."""
    aside = Aside(logging.WARNING)
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            theirs = logging.getLogger(name)
            theirs.handlers = [aside]
            theirs.propagate = False


class Engine:
    """A connection to a scheduler; what happens is posted, from a thread of its own."""

    def __init__(self, at: Address, post: Post) -> None:
        hush()
        protect()
        self.post = post
        self.topic = f"{PACKAGE}-{uuid.uuid4().hex}"
        self.futures: dict[tuple[int, int], Future] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        """Kept, since the loop itself would forget them."""
        self.changed = asyncio.Event()
        security = secured(at)
        where = {"scheduler_file": at.place} if at.is_file else {"address": at.place}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # what matters we look at
            try:
                self.client = Client(
                    **where,
                    security=security,
                    timeout=CONNECT,
                    set_as_default=False,
                    deserializers=["msgpack"],
                )
            except REFUSALS as error:
                raise NoScheduler(
                    f"no Dask scheduler answers at {at.place} ({reason(error)}); start one with "
                    "'dask scheduler', or name another with --on"
                ) from error
        self.line = self.client.scheduler_comm
        """What we subscribe on; Dask may make another when this one breaks, and tells nobody."""
        self.client.subscribe_topic("all", self.note)
        self.client.subscribe_topic(self.topic, self.hear)
        self.begin(self.count())
        self.begin(self.watch())

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside everything else, in the thread of the connection."""

        def start() -> None:
            task = asyncio.ensure_future(work)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        self.client.loop.add_callback(start)

    def note(self, event: tuple[float, Any]) -> None:
        """Take what the scheduler says about all."""
        match event:
            case (_, {"action": "remove-worker", "worker": str(address), **other}):
                self.post(Left(address, bool(other.get("expected"))))
            case (_, {"action": "add-worker"}):
                self.changed.set()

    def hear(self, event: tuple[float, Any]) -> None:
        """Take what a worker says about a task of ours."""
        match event:
            case (_, {"worker": str(address), **told}):
                with suppress(msgspec.ValidationError):  # which no honest worker says
                    self.post(Heard(address, msgspec.convert(told, Said)))

    @property
    def connected(self) -> bool:
        """Whether the scheduler is still the one that we have spoken to."""
        listening = self.client._handle_report_task  # it ends at messages that it does not expect
        return (
            self.client.status == "running"
            and self.client.scheduler_comm is self.line
            and not listening.done()
        )

    async def watch(self) -> None:
        """Say when the scheduler is gone."""
        while self.connected:
            await asyncio.sleep(LOOK)
        self.post(Lost())

    async def count(self) -> None:
        """Count the workers, and again whenever there may be others."""
        while self.connected:
            self.changed.clear()
            with suppress(OSError, TimeoutError):  # the scheduler is gone, which is seen elsewhere
                found = await self.client.scheduler.identity(n_workers=-1)
                self.post(Census(machines(found)))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), COUNT)

    def examine(self, address: str, needs: Needs) -> None:
        """Ask a worker what it is; what it answers is posted."""
        self.begin(self.examined(address, needs))

    async def examined(self, address: str, needs: Needs) -> None:
        """Ask it; before it is known to have the same program, nothing of ours is sent to it."""
        try:
            question = {"op": "versions", "packages": [PACKAGE]}
            answers = await self.client.scheduler.broadcast(msg=question, workers=[address])
            found = answers[address]
            python = ".".join(str(found["host"]["python"]).split(".")[:3])
            refused = outdated(python, found["packages"].get(PACKAGE))
            facts = None
            if not refused:
                told = await self.client.run(examine_here, needs, workers=[address])
                answer = unpack_facts(told[address])
                if isinstance(answer, Unreadable):
                    refused = answer.text
                else:
                    facts, refused = answer, unlike(answer)
        except (OSError, KeyError):  # it is gone, which is said elsewhere
            return
        except Exception as error:
            refused, facts = f"it cannot say what it is ({reason(error)})", None
        self.post(Examined(address, facts, refused))

    def submit(self, order: Order, address: str) -> None:
        """Send an order to a worker; what comes of it is posted."""
        key = (order.task.number, order.attempt)
        future = self.client.submit(
            pickle.loads,
            pickle.dumps(Errand(order, self.topic)),
            key=f"{self.topic}-{key[0]}-{key[1]}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
            priority=-order.task.number,
        )
        self.futures[key] = future
        self.begin(self.follow(future, *key))

    async def follow(self, future: Future, number: int, attempt: int) -> None:
        """Wait for what comes of an order."""
        outcome: Outcome | Unreadable | Failed | None = None
        try:
            await future._state.wait()
            if future.status == "finished":
                outcome = unpack_outcome(await self.fetch(future))
            elif future.status != "cancelled":
                outcome = Failed(number, "Dask could not have it played: see the worker's log")
        except MessageTooLarge as error:
            outcome = Unreadable(reason(error))
        except Exception as error:
            outcome = Failed(number, f"Dask could not have it played: {reason(error)}")
        if not self.connected:
            return  # which is said elsewhere, and nobody is to blame
        if self.futures.pop((number, attempt), None) is not None:
            self.post(Returned(number, attempt, outcome))
        with suppress(Exception):
            future.release()

    async def fetch(self, future: Future) -> object:
        """Get a result by a request of its own, so that no other worker can spoil it."""
        found = await self.client.scheduler.gather(keys=[future.key])
        if found["status"] != "OK":  # the worker may be leaving, and its results with it
            await asyncio.sleep(MISSING)
            found = await self.client.scheduler.gather(keys=[future.key])
        return found["data"][future.key] if found["status"] == "OK" else None

    def drop(self, number: int, attempt: int) -> None:
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

    def abandon(self) -> None:
        """Let go of a connection that is broken, without waiting for that."""
        threading.Thread(target=self.close, daemon=True).start()


def secured(at: Address) -> Security:
    """How to prove who we are: by the files that were named, or those in Dask's configuration."""
    try:
        security = Security(**at.tls, require_encryption=True) if at.tls else Security()
        proof = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # a file that is none, or does not fit the others
        raise NoScheduler(f"the certificates cannot be used: {reason(error)}") from error
    if at.place.startswith(("tls:", "wss:")) and proof is None:
        raise NoScheduler(
            f"{at.place} asks for certificates: name ca, cert and key below 'backend.dask', or in "
            "Dask's own configuration below 'distributed.comm.tls'"
        )
    return security


def machines(told: Any) -> dict[str, Machine]:
    """The workers as the scheduler describes them; what is no such description is left out."""
    found = {}
    with suppress(AttributeError, KeyError, TypeError):
        for address, one in told["workers"].items():
            match one:
                case {"name": name, "nthreads": int(threads)}:
                    known = Machine(short(str(name), LONGEST_NAME), min(max(threads, 1), THREADS))
                    found[str(address)] = known
    return found


def reason(error: BaseException) -> str:
    """What an error says, on one line."""
    return short(" ".join(str(error).split())) or type(error).__name__


async def examine_here(needs: Needs) -> bytes:
    """What the worker is in which this is called, packed."""
    return pack(await asyncio.to_thread(gather, needs))


STATION: list[Station] = []
LOCK = threading.Lock()


def station() -> Station:
    """The station of this process."""
    with LOCK:
        if not STATION:
            STATION.append(Station())
        return STATION[0]


class Errand:
    """An order that is carried out where it is unpickled.

    Schedulers look into all that they pass on. So they are shown nothing but bytes and a function
    of Python's own, and need not have this program.
    """

    def __init__(self, order: Order, topic: str) -> None:
        self.order = order
        self.topic = topic

    def __reduce__(self) -> tuple[Callable[[Order, str], bytes], tuple[Order, str]]:
        """What to call, and with what."""
        return work, (self.order, self.topic)


def work(order: Order, topic: str) -> bytes:
    """Carry out an order in the worker in which this is called; what came of it, packed."""
    worker = get_worker()
    key = worker.get_current_task()

    def say(said: Said) -> None:
        worker.log_event(topic, msgspec.to_builtins(said))

    def wanted() -> bool:
        known = worker.state.tasks.get(key)
        if known is None or known.state in {"cancelled", "resumed"}:
            return False
        return worker.status.name in {"running", "paused"}  # and is not about to leave

    try:
        return pack(station().perform(order, say, wanted))
    except Exception as error:  # the coordinator reads no exceptions
        LOG.exception("an order cannot be carried out")
        return pack(NotPlayed(f"{type(error).__name__}: {reason(error)}"))
