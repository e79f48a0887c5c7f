"""The option `--on`, and the cluster that it names."""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from arena.cli.progress import count
from arena.errors import ArenaError
from arena.match.terms import Terms
from arena.printable import printable
from arena.tournaments.address import Address, exposed

if TYPE_CHECKING:
    from arena.cluster.cluster import Cluster


def cluster_option(command: Callable[..., None]) -> Callable[..., None]:
    """The option, as `on`."""
    return click.option(
        "--on",
        metavar="ADDRESS",
        help="Play on the workers of this Dask scheduler, such as tcp://host:8786; 'local' is this "
        "machine.",
    )(command)


def cluster(
    at: Address,
    terms: Terms,
    *,
    most: int | None = None,
    network: bool = False,
) -> "Cluster":
    """The cluster at an address; Dask is only loaded where one is named."""
    try:
        module = importlib.import_module("arena.cluster.cluster")
    except ImportError as error:
        raise ArenaError(
            f"a cluster needs Dask ({error}): run \"pip install 'stichkampf[dask]'\""
        ) from error
    made: Cluster = module.Cluster(at, terms, most=most, network=network)
    return made


def warn_if_exposed(at: Address) -> None:
    """Print to stderr that others could use a scheduler, if it has no certificates."""
    if told := exposed(at):
        Console(stderr=True, highlight=False).print(Text(printable(told), "yellow"), soft_wrap=True)


def where(backend: "int | Cluster") -> str:
    """Where something is played, for people: on so many cores, or on a cluster."""
    if isinstance(backend, int):
        return count(backend, "core")
    workers = count(len(backend.roster.usable), "worker")
    return f"{count(backend.cores, 'core')} of {workers} at {backend.at.place}"
