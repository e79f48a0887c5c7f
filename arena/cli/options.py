"""Options that several commands share: cluster, clock, server, sandbox, ladder and speed."""

import importlib
import socket
from collections.abc import Callable
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict
from rich.console import Console
from rich.text import Text

from arena.bots.build import BuildSettings
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, image_problem, select_sandbox
from arena.bots.sandbox.system_image import SystemLocation
from arena.cli.progress import plural
from arena.errors import ArenaError
from arena.games.events import Designated, LaidOut, Named, Revealed, Scored, SetAside, Took
from arena.games.replay import Step
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.sanitize import printable
from arena.tournaments.config.scheduler_address import SchedulerAddress, exposure_warning

if TYPE_CHECKING:
    from arena.cluster.backend import Cluster


def cluster_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option, as `on`."""
    return click.option(
        "--on",
        metavar="ADDRESS",
        help="Play on the workers of this Dask scheduler, such as tcp://host:8786; 'local' is this "
        "machine.",
    )(command)


def open_cluster(
    address: SchedulerAddress,
    terms: RefereeConfig,
    *,
    max_workers: int | None = None,
    network: bool = False,
) -> "Cluster":
    """The cluster at an address; Dask is only loaded where one is named."""
    try:
        module = importlib.import_module("arena.cluster.backend")
    except ImportError as error:
        raise ArenaError(
            f"a cluster needs Dask ({error}): run \"pip install 'stichkampf[dask]'\""
        ) from error
    made: Cluster = module.Cluster(address, terms, max_cores=max_workers, network=network)
    return made


def warn_if_exposed(address: SchedulerAddress) -> None:
    """Print to stderr that others could use a scheduler, if it has no certificates."""
    if told := exposure_warning(address):
        Console(stderr=True, highlight=False).print(Text(printable(told), "yellow"), soft_wrap=True)


def backend_text(backend: "int | Cluster") -> str:
    """Where something is played, for people: on so many cores, or on a cluster."""
    if isinstance(backend, int):
        return plural(backend, "core")
    workers = plural(len(backend.pool.usable), "worker")
    return f"{plural(backend.cores, 'core')} of {workers} at {backend.scheduler.location}"


CommandFunction = Callable[..., Any]


def ladder_argument(command: CommandFunction) -> CommandFunction:
    """The ladder's folder, as `folder`."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.argument("folder", metavar="DIR", type=kind)(command)


LIMIT_KEYS = Limits.__struct_fields__


class LimitsType(click.ParamType[Limits]):
    """Limits as `move=0.5,bank=2`; what is not named stays as it is."""

    name = "clock"

    def __init__(self, defaults: Limits) -> None:
        self.defaults = defaults

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Limits:
        """The limits that are meant."""
        if isinstance(value, Limits):
            return value
        limits = asdict(self.defaults)
        for part in str(value).split(","):
            key, _, seconds = part.partition("=")
            if key not in LIMIT_KEYS:
                near = get_close_matches(key, LIMIT_KEYS, n=1)
                hint = (
                    f"did you mean {near[0]!r}?" if near else f"there are {', '.join(LIMIT_KEYS)}"
                )
                self.fail(f"there is no limit {key!r}; {hint}", param, ctx)
            try:
                limits[key] = float(seconds)
            except ValueError:
                limits[key] = -1.0
            if not 0 <= limits[key] < inf:
                self.fail(f"{key} is a number of seconds, not {seconds!r}", param, ctx)
        return Limits(**limits)


def clock_option(defaults: Limits) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option, with what holds where it says nothing."""
    shown = ",".join(f"{key}={seconds:g}" for key, seconds in asdict(defaults).items())
    return click.option(
        "--clock",
        "limits",
        type=LimitsType(defaults),
        default=defaults,
        metavar="KEY=SECONDS,...",
        help=f"The time bots have; usually {shown}. All but wall is CPU time.",
    )


Command = Callable[..., Any]


def server_options(command: Command) -> Command:
    """Where to listen, as `host` and `port`."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8000,
            show_default=True,
            help="On which port; 0: any that is free.",
        ),
        click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen."),
    ):
        command = option(command)
    return command


def open_listener(host: str, port: int) -> socket.socket:
    """A socket at which others may already wait; a port that is taken is found out at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen()
        except BaseException:
            listening.close()
            raise
    except (OSError, UnicodeError) as error:  # the latter for names that no host can have
        reason = getattr(error, "strerror", None) or error
        raise ArenaError(
            f"{host}:{port} cannot be listened on: {reason}; name another with --host or --port"
        ) from error
    return listening


def server_url(host: str, listener: socket.socket, prefix: str = "") -> str:
    """The address of what listens."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}{prefix}/"


DEFAULT_SPEED = 8.0
"""Cards a second, unless somebody wants it otherwise."""

EVENT_BEATS = {Took: 2, SetAside: 2, Designated: 4, Revealed: 4, Named: 4, LaidOut: 8, Scored: 12}
"""Cards that could be played while a person takes this in."""


def pause_seconds(step: Step, speed: float) -> float:
    """Seconds after a step at a speed of so many cards a second."""
    beats = max((EVENT_BEATS.get(type(event), 1) for event in step.events()), default=1)
    return beats / speed


speed_option = click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULT_SPEED,
    show_default=True,
    help="With --watch: cards a second at most.",
)

SANDBOX_OFF_WARNING = (
    "The sandbox is off: bots can do whatever you can, read your files, use the network and leave "
    "programs running. Only run bots that you trust."
)


def sandbox_options(command: Callable[..., None]) -> Callable[..., None]:
    """Both options, as `level` and `network`."""
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
            help="How strongly bots are walled in; by default the best that 'arena doctor' finds.",
        ),
    ):
        command = option(command)
    return command


def build_settings(
    level: SandboxLevel | None, *, network: bool, system: SystemLocation = SystemLocation.HOST
) -> BuildSettings:
    """Where bots are built, and run by the same sandbox; if there is none that is said."""
    sandbox = select_sandbox(level, ResourceLimits(), system=system)
    warn_about_sandbox(sandbox)
    return BuildSettings(sandbox, network)


def warn_about_sandbox(sandbox: Sandbox) -> None:
    """Say aside that bots are not walled in, and why."""
    console = Console(stderr=True, highlight=False)
    if (
        sandbox.support
        and sandbox.system is SystemLocation.AUTO
        and (why := image_problem(sandbox.support))
    ):
        text = f"Bots see the programs on the disk, which lets them recognise earlier deals: {why}"
        console.print(Text(text, "yellow"), soft_wrap=True)
    if (
        sandbox.support or sandbox.level is not SandboxLevel.NONE
    ):  # made here, or to be made elsewhere
        return
    if sandbox.unavailable_reason:
        told = Text(f"Bots run without a sandbox: {sandbox.unavailable_reason}", "yellow")
    else:
        told = Text(SANDBOX_OFF_WARNING, "bold red")
    console.print(told, soft_wrap=True)


def sandbox_arguments(level: SandboxLevel | None, *, network: bool) -> list[str]:
    """The options as they were typed, for a command that does the same again."""
    return [*(("--sandbox", level) if level else ()), *(["--build-network"] if network else ())]


def sandbox_text(sandbox: Sandbox) -> str:
    """A sandbox and what holds its limits, in some words."""
    if not sandbox.support:
        return str(sandbox.level)
    limits, groups = sandbox.limits, sandbox.cgroups
    by = f"cgroups, version {groups.version}" if groups else "rlimits of each process only"
    held = f"{limits.memory} MiB and {limits.processes} processes for a bot, held by {by}"
    waiting = "stopped" if sandbox.stops_idle_bots else "charged"
    system = "the host's" if sandbox.mount_source is str else "in memory"
    return f"{sandbox.level}: {held}; who waits is {waiting}; the system that bots see is {system}"
