"""A laboratory: a Dask scheduler and workers as processes, each in a network of its own.

Where namespaces are allowed every node has one, held by nothing but an open file of this process
and by what runs inside; a bridge in one more connects them. Elsewhere all is on loopback, and
nothing can be cut off. A keeper ends what is left when this process was killed. Schedulers and
workers are forked from a server that has imported Dask, where nothing prevents that.
"""

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest

from arena.bots.reaper import child_pids, send_signal
from arena.tournaments.config.scheduler_address import SchedulerAddress, exposure_warning
from tests.cluster.certificates import Tls
from tests.cluster.forked_node import ForkedNode
from tests.cluster.network import Network, enter_namespace
from tests.cluster.process_cleanup import MARK_VARIABLE, kill_processes
from tests.suite.tools import require

LOOPBACK = "the lab was asked to stay on loopback"
TIMEOUT = 180.0
"""Seconds that are enough for anything that is waited for."""

ROOT = Path(__file__).parents[2]
NODES = ("home", "scheduler", "one", "two", "three")
DASK = (sys.executable, "-m", "dask")
Result = TypeVar("Result")
Env = Mapping[str, str]


class Program:
    """Something that runs at a node, and can be started again as it was."""

    process: subprocess.Popen[str] | ForkedNode

    def __init__(self, lab: "Lab", name: str, node: str, command: list[str], env: Env) -> None:
        self.lab, self.name, self.node, self.command, self.env = lab, name, node, command, env
        self.log = lab.folder / f"{name}.log"
        self.log.touch()
        lab.programs.append(self)
        self.start()

    def start(self) -> None:
        """Start it; what it says is added to its log."""
        self.begun = self.log.stat().st_size
        if self.can_be_forked:
            words = self.command[len(DASK) :]
            self.process = self.lab.fork(words, node=self.node, env=self.env, log=self.log)
            return
        with self.log.open("ab") as log:
            self.process = self.lab.run(
                self.command, node=self.node, env=self.env, stdout=log, stderr=log
            )

    @property
    def can_be_forked(self) -> bool:
        """Whether a process that has imported Dask and this program can become this one.

        It cannot if other modules are to be imported, or if a nanny starts another process.
        """
        is_dask = self.command[: len(DASK)] == [*DASK]
        return is_dask and "PYTHONPATH" not in self.env and "--nanny" not in self.command

    @property
    def said(self) -> str:
        """What it has said since it was started the last time."""
        return self.log.read_bytes()[self.begun :].decode(errors="replace")

    def wait_for(self, pattern: str) -> str:
        """Wait until it says something; the last group that is found."""

        def heard() -> list[str]:
            ended = not self.alive
            found = re.findall(pattern, self.said)
            assert found or not ended, f"{self.name} has ended:\n{self.said}"
            return found

        return self.lab.wait_until(heard, f"{self.name} says {pattern!r}")[-1]

    @property
    def alive(self) -> bool:
        """Whether what was started still runs."""
        return self.process.poll() is None

    @property
    def pids(self) -> list[int]:
        """The processes that are this program, not what they have started for others."""
        return [self.process.pid] if self.alive else []

    def wait(self, seconds: float = TIMEOUT) -> int:
        """Wait for its end; its status."""
        return self.process.wait(seconds)

    def kill(self) -> None:
        """Kill it; the kernel closes its connections, so that others are told."""
        send_signal(self.pids, signal.SIGKILL)
        self.wait()

    def terminate(self) -> None:
        """Ask it to end; `wait` waits until it has."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Hold it: its connections stay open, and nothing answers."""
        send_signal(self.pids, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        send_signal(self.pids, signal.SIGCONT)

    def restart(self) -> None:
        """Start it again, by the same command at the same node; killed before if need be."""
        self.kill()
        self.start()

    def cut(self) -> None:
        """Cut its node off."""
        self.lab.cut(self.node)

    def heal(self) -> None:
        """Connect its node again."""
        self.lab.heal(self.node)


class Scheduler(Program):
    """A Dask scheduler."""

    def start(self) -> None:
        """Start it, and wait until it listens."""
        super().start()
        self.address = self.wait_for(r"Scheduler at: +(\S+)")

    def known(self) -> dict[str, str]:
        """The workers that it has and that know it, as its log tells: names and addresses."""
        said = self.said  # read once: the log grows
        names = dict(re.findall(r"Register worker addr: (\S+) name: (\S+)", said))
        found = {}
        # Who is only registered may not have heard of it, and would wait for another scheduler.
        lines = r"(Starting worker compute stream, |Remove worker addr: )(\S+)"
        for line, address in re.findall(lines, said):
            if line.startswith("Starting"):
                found[address] = names[address]
            else:
                found.pop(address, None)
        return {name: address for address, name in found.items()}


class Worker(Program):
    """A Dask worker, which may have a nanny."""

    @property
    def address(self) -> str | None:
        """Where others reach it, once it has said so."""
        found = re.findall(r"Start worker at: +(\S+)", self.said)
        return found[-1] if found else None

    @property
    def pids(self) -> list[int]:
        """The nanny, if there is one, and the process that computes, which comes last."""
        found = super().pids
        for child in [child for pid in found for child in child_pids(pid)]:
            with suppress(OSError):  # it has just ended
                if "--nanny" in self.command and b"spawn_main" in command_of(child):
                    found.append(child)
        return found

    @property
    def pid(self) -> int:
        """The process that computes."""
        return self.pids[-1]


class Lab:
    """Nodes and all that runs there; after its end nothing of it is left."""

    def __init__(
        self, folder: Path, nodes: Sequence[str] = NODES, *, namespaces: bool = True
    ) -> None:
        self.folder = folder.absolute()
        self.network = Network(nodes)
        self.why = "" if namespaces else LOOPBACK
        self.mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        self.started: list[subprocess.Popen[str]] = []
        self.programs: list[Program] = []
        self.server: subprocess.Popen[str] | None = None

    @property
    def warning(self) -> str:
        """What commands at home say about the scheduler, if it has no certificates."""
        with self.inside("home"):
            told = exposure_warning(SchedulerAddress(self.head.address))
        return f"{told}\n" if told else ""

    @property
    def namespaces(self) -> bool:
        """Whether every node has a network of its own; `why` says why not."""
        return bool(self.network.spaces)

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        life = os.pidfd_open(os.getpid())
        words = [sys.executable, "-m", "tests.cluster.process_cleanup", str(life), self.mark]
        self.keeper = subprocess.Popen(words, pass_fds=[life], cwd=ROOT, start_new_session=True)
        os.close(life)
        try:
            if not self.why:
                self.network.connect()
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", "") or error
            self.why = f"namespaces take root or `unshare -rn`, and iproute2 ({said})"
            self.network.close()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind:
            print(self.logs())
        kill_processes(self.mark, *(one.pid for one in self.started if one.poll() is None))
        for process in self.started:
            process.__exit__(None, None, None)  # closes pipes and waits
        self.network.close()
        self.keeper.kill()
        self.keeper.wait()

    def inside(self, node: str) -> AbstractContextManager[None]:
        """This thread, and threads and processes that it starts, at a node."""
        assert node in self.network.nodes, f"there is no node {node}: {self.network.nodes}"
        return enter_namespace(self.network.spaces[node]) if self.namespaces else nullcontext()

    def cut(self, node: str) -> None:
        """Cut a node off: packets from and to it vanish, and nobody is told."""
        if not self.namespaces:
            if self.why != LOOPBACK:
                require("ip")
            pytest.skip(f"no network can be cut here: {self.why}")
        self.network.plug(node, "nomaster")

    def heal(self, node: str) -> None:
        """Connect a node again."""
        self.network.plug(node, "master bridge")

    def environment(self, node: str) -> dict[str, str]:
        """Variables for a program: a home and a cache of the node's own, Dask as it comes."""
        names = {"HOME": "home", "XDG_CACHE_HOME": "cache", "DASK_TEMPORARY_DIRECTORY": "local"}
        names |= dict.fromkeys(("XDG_CONFIG_HOME", "DASK_CONFIG", "DASK_ROOT_CONFIG"), "config")
        own = {key: self.folder / node / name for key, name in names.items()}
        for place in own.values():
            place.mkdir(parents=True, exist_ok=True)
        ours = {key: value for key, value in os.environ.items() if not key.startswith("DASK_")}
        places = {key: str(place) for key, place in own.items()}
        return {**ours, **places, "PYTHONUNBUFFERED": "1", MARK_VARIABLE: self.mark}

    def run(
        self, command: Sequence[str], *, node: str = "home", env: Env | None = None, **popen: Any
    ) -> subprocess.Popen[str]:
        """Start a command at a node, in a session of its own; its output goes into pipes."""
        given: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": {**self.environment(node), **(env or {})},
            "cwd": self.folder / node,
            "text": True,
            "start_new_session": True,
            **popen,
        }
        with self.inside(node):
            process = subprocess.Popen(command, **given)
        self.started.append(process)
        return process

    def fork(self, words: Sequence[str], *, node: str, env: Env, log: Path) -> ForkedNode:
        """Start a command of Dask's at a node, by a server that has imported Dask."""
        if self.server is None:
            module = [sys.executable, "-m", "tests.cluster.node_server"]
            self.server = self.run(module, cwd=ROOT, stdin=subprocess.PIPE, stderr=None)
        space = f"/proc/{os.getpid()}/fd/{self.network.spaces[node]}" if self.namespaces else ""
        return ForkedNode(
            self.server,
            words=words,
            env={**self.environment(node), **env},
            cwd=str(self.folder / node),
            log=str(log),
            space=space,
        )

    def python(self, code: str, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start a Python program at home, or at another node."""
        return self.run([sys.executable, "-c", code, *words], **options)

    def scheduler(
        self, *, node: str = "scheduler", tls: Tls | None = None, env: Env | None = None
    ) -> Scheduler:
        """A scheduler that listens, for the workers that are started after it."""
        host = self.network.host(node)
        port = 8786 if self.namespaces else free_port(host)
        command = [*DASK, "scheduler", f"--host={host}", f"--port={port}"]
        command += ["--no-dashboard", f"--dashboard-address={host}:0"]
        self.tls = tls
        self.head = Scheduler(self, node, node, command + (tls.options if tls else []), env or {})
        return self.head

    def worker(
        self,
        name: str,
        *,
        node: str | None = None,
        threads: int = 1,
        nanny: bool = False,
        env: Env | None = None,
        folder: Path | None = None,
        options: Sequence[str] = (),
    ) -> Worker:
        """A worker, at the node that is called as it is; `wait_for_workers` waits for it."""
        node = node or name
        command = [*DASK, "worker", self.head.address, f"--name={name}"]
        command += [f"--host={self.network.host(node)}", f"--nthreads={threads}"]
        command += ["--nanny" if nanny else "--no-nanny", "--no-dashboard"]
        command += [f"--local-directory={folder or self.folder / node / 'local'}"]
        command += [*(self.tls.options if self.tls else []), *options]
        return Worker(self, name, node, command, env or {})

    def wait_for_workers(self, number: int) -> None:
        """Wait until the scheduler knows so many workers, no more and no fewer."""
        what = f"the scheduler knows {number} workers"
        self.wait_until(lambda: len(self.head.known()) == number, what)

    def wait_until(self, reached: Callable[[], Result], what: str) -> Result:
        """Wait for something that comes true, which is handed on."""
        until = time.monotonic() + TIMEOUT
        while not (result := reached()):
            if time.monotonic() > until:
                pytest.fail(f"in vain was waited until {what}{self.logs()}")
            time.sleep(0.05)
        return result

    def logs(self) -> str:
        """The ends of all logs."""
        return "".join(
            f"\n\n{program.log}:\n" + "\n".join(program.said.splitlines()[-20:])
            for program in self.programs
        )


def free_port(host: str) -> int:
    """A port on which nobody listens."""
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])


def command_of(pid: int) -> bytes:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()
