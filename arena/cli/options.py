"""Options that several commands share: cluster, clock, server, sandbox, ladder and speed."""

import importlib
import socket
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from arena.bots.build import BuildSettings
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, image_problem, select_sandbox
from arena.bots.sandbox.system_image import SystemLocation
from arena.cli.output import print_warning
from arena.errors import ArenaError
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.sanitize import printable
from arena.text import plural, spelling_hint
from arena.tournaments.config.scheduler_address import SchedulerAddress, exposure_warning

if TYPE_CHECKING:
    from arena.cluster.backend import Cluster

Command = Callable[..., Any]
"""The function of a command, which options decorate."""

LIMIT_KEYS = Limits.__struct_fields__

DEFAULT_SPEED = 8.0
"""Cards a second."""

SANDBOX_OFF_WARNING = (
    "The sandbox is off: bots can do whatever you can, read your files, use the network and leave "
    "programs running. Only run bots that you trust."
)


def cluster_option(command: Command) -> Command:
    """The scheduler of a cluster, as `on`."""
    return click.option(
        "--on",
        metavar="ADDRESS",
        help="Play on the workers of this Dask scheduler, such as tcp://host:8786; 'local' is this "
        "machine.",
    )(command)


def open_cluster(
    address: SchedulerAddress,
    config: RefereeConfig,
    *,
    max_workers: int | None = None,
    network: bool = False,
) -> "Cluster":
    """The cluster at an address; Dask is only imported here, because it is optional."""
    try:
        module = importlib.import_module("arena.cluster.backend")
    except ImportError as error:
        raise ArenaError(
            f"a cluster needs Dask ({error}): run \"pip install 'stichkampf[dask]'\""
        ) from error
    cluster: Cluster = module.Cluster(address, config, max_cores=max_workers, network=network)
    return cluster


def warn_if_exposed(address: SchedulerAddress) -> None:
    """Warn that others could use a scheduler, if it has no certificates."""
    if warning := exposure_warning(address):
        print_warning(printable(warning))


def backend_text(backend: "int | Cluster") -> str:
    """The backend in words: so many cores, or a cluster."""
    if isinstance(backend, int):
        return plural(backend, "core")
    workers = plural(len(backend.pool.usable), "worker")
    return f"{plural(backend.cores, 'core')} of {workers} at {backend.scheduler.location}"


def ladder_argument(command: Command) -> Command:
    """The folder of the ladder, as `folder`."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.argument("folder", metavar="DIR", type=kind)(command)


class LimitsType(click.ParamType[Limits]):
    """Limits such as `move=0.5,bank=2`; limits that are not named keep their defaults."""

    name = "clock"

    def __init__(self, defaults: Limits) -> None:
        self.defaults = defaults

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Limits:
        """Parse the limits, or fail with what is wrong."""
        if isinstance(value, Limits):
            return value
        limits = asdict(self.defaults)
        for part in str(value).split(","):
            key, _, seconds = part.partition("=")
            if key not in LIMIT_KEYS:
                hint = spelling_hint(key, LIMIT_KEYS)
                self.fail(f"there is no limit {key!r}; {hint}", param, ctx)
            try:
                limits[key] = float(seconds)
            except ValueError:
                limits[key] = -1.0
            if not 0 <= limits[key] < inf:
                self.fail(f"{key} is a number of seconds, not {seconds!r}", param, ctx)
        return Limits(**limits)


def clock_option(defaults: Limits) -> Callable[[Command], Command]:
    """The limits of the bots' time, as `limits`."""
    shown = ",".join(f"{key}={seconds:g}" for key, seconds in asdict(defaults).items())
    return click.option(
        "--clock",
        "limits",
        type=LimitsType(defaults),
        default=defaults,
        metavar="KEY=SECONDS,...",
        help=f"The time bots have; usually {shown}. All but wall is CPU time.",
    )


def server_options(command: Command) -> Command:
    """The address to listen on, as `host` and `port`."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8000,
            show_default=True,
            help="The port to listen on; 0: any free port.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
        ),
    ):
        command = option(command)
    return command


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket: clients may connect before the server runs; a used port fails here."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except BaseException:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:  # UnicodeError: not the name of a host
        reason = getattr(error, "strerror", None) or error
        raise ArenaError(
            f"{host}:{port} cannot be listened on: {reason}; name another with --host or --port"
        ) from error
    return listener


def server_url(host: str, listener: socket.socket, prefix: str = "") -> str:
    """The URL of a server that listens on this socket."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}{prefix}/"


speed_option = click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULT_SPEED,
    show_default=True,
    help="With --watch: at most so many cards a second.",
)


def sandbox_options(command: Command) -> Command:
    """The level of the sandbox, as `level`, and whether builds use the network, as `network`."""
    for option in (
        click.option(
            "--build-network",
            "network",
            is_flag=True,
            help="Let builds that ask for it in bot.yaml use the network.",
        ),
        click.option(
            "--sandbox",
            "level",
            type=click.Choice(SandboxLevel, case_sensitive=False),
            help="How strongly bots are isolated; by default the best that 'arena doctor' finds.",
        ),
    ):
        command = option(command)
    return command


def build_settings(
    level: SandboxLevel | None, *, network: bool, system: SystemLocation = SystemLocation.HOST
) -> BuildSettings:
    """The settings for building bots, with the sandbox that runs them too; warn if it is off."""
    sandbox = select_sandbox(level, ResourceLimits(), system=system)
    warn_about_sandbox(sandbox)
    return BuildSettings(sandbox, network)


def warn_about_sandbox(sandbox: Sandbox) -> None:
    """Warn that bots run without a sandbox, or see the programs on the disk, and why."""
    if (
        sandbox.support
        and sandbox.system is SystemLocation.AUTO
        and (why := image_problem(sandbox.support))
    ):
        print_warning(
            f"Bots see the programs on the disk, which lets them recognise earlier deals: {why}"
        )
    if sandbox.support or sandbox.level is not SandboxLevel.NONE:  # of this machine, or of a worker
        return
    if sandbox.unavailable_reason:
        print_warning(f"Bots run without a sandbox: {sandbox.unavailable_reason}")
    else:
        print_warning(SANDBOX_OFF_WARNING, "bold red")


def sandbox_arguments(level: SandboxLevel | None, *, network: bool) -> list[str]:
    """The options as they were typed, for a command that repeats this one."""
    return [*(("--sandbox", level) if level else ()), *(["--build-network"] if network else ())]
