"""The command `arena doctor`: report sandbox features and compilers of this machine."""

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.build import builds_folder
from arena.bots.interpreters import find_installed, install_hint, repair_hint
from arena.bots.sandbox.doctor import (
    NO,
    UNUSED,
    HostFeatures,
    Layer,
    Remedy,
    detect_features,
    layers,
    remedies,
)
from arena.cli.output import SafeConsole, print_json
from arena.errors import ArenaError
from arena.tournaments.play.local import count_cores

TOOLS = ("cargo", "cc", "cmake", "g++", "go", "java", "jq", "make", "mvn", "node", "npm", "perl")
"""The programs that build and run bots made from the starter kits."""

GIB = 1 << 30


class Tool(Struct, frozen=True):
    """A program that builds or runs bots."""

    name: str
    path: str | None
    remedy: str
    """The command that installs it."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The sandbox features and compilers of this machine, as `--json` prints them."""

    standard: bool
    """Whether this level of the sandbox is available."""
    strict: bool
    layers: tuple[Layer, ...]
    remedies: tuple[Remedy, ...]
    facts: HostFeatures
    kernel: str
    python: str
    executable: str
    cores: int
    of_cores: int
    """How many the machine has."""
    cache: str | None
    """The folder of builds."""
    free: int | None
    """Bytes that are free there."""
    tools: tuple[Tool, ...]


@click.command(short_help="Check this machine's sandbox and compilers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(*, as_json: bool) -> None:
    """Check which sandbox features and compilers this machine has, and how to install the rest.

    A program is run in the sandbox to find that out. Bots get the level 'standard' if neither
    --sandbox nor the tournament's file names another one. The exit status is 0 if it is available,
    else 1.
    """
    found = diagnose()
    if as_json:
        print_json(found)
    else:
        show_diagnosis(SafeConsole(), found)
    if not found.standard:
        sys.exit(1)


def diagnose() -> Diagnosis:
    """Examine this machine."""
    facts = detect_features()
    cache, free = build_cache()
    with ThreadPoolExecutor() as pool:  # some need half a second to print their version
        tools = pool.map(find_tool, TOOLS)
    return Diagnosis(
        standard=facts.standard,
        strict=facts.strict,
        layers=layers(facts),
        remedies=remedies(facts),
        facts=facts,
        kernel=f"{platform.system()} {platform.release()}, {platform.machine()}",
        python=platform.python_version(),
        executable=sys.executable,
        cores=count_cores(),
        of_cores=os.cpu_count() or 1,
        cache=cache,
        free=free,
        tools=tuple(tools),
    )


def find_tool(name: str) -> Tool:
    """Find a program that runs, or how to install it."""
    path = find_installed(name, thorough=True)
    return Tool(name, path, install_hint(name) if path else repair_hint(name))


def build_cache() -> tuple[str | None, int | None]:
    """The folder of builds, and how many bytes are free there."""
    try:
        cache = builds_folder()
    except ArenaError:
        return None, None
    existing = next(folder for folder in (cache, *cache.parents) if is_reachable(folder))
    return str(cache), shutil.disk_usage(existing).free


def is_reachable(folder: Path) -> bool:
    """Whether a folder exists and this user can see it."""
    try:
        return folder.exists()
    except OSError:
        return False


def show_diagnosis(console: Console, found: Diagnosis) -> None:
    """Print the diagnosis for a person."""
    console.print(layers_table(found.layers))
    console.print()
    for level, is_available in (("standard", found.standard), ("strict", found.strict)):
        status = ("can be had", "green") if is_available else ("cannot be had", "bold red")
        console.print(Text.assemble((level, "bold"), " ", status))
    for one in found.remedies:
        console.print(f"\nTo get {one.what}:")
        console.print(Text(f"  {one.command}", "bold"), soft_wrap=True)
    console.print()
    console.print(system_table(found))
    missing = [tool for tool in found.tools if tool.path is None]
    if missing:
        console.print("\nMissing, if a bot needs them:")
        console.print(missing_tools_table(missing))


def layers_table(found: tuple[Layer, ...]) -> Table:
    """The layers of the sandbox, one in each row."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
    for title in ("sandbox", "this machine", "standard", "strict"):
        table.add_column(title, overflow="fold", no_wrap=title in {"standard", "strict"})
    for layer in found:
        table.add_row(
            layer.name, layer.here, status_text(layer.standard), status_text(layer.strict)
        )
    return table


def status_text(word: str) -> Text:
    """The status of a layer in its colour."""
    return Text(word, "red" if word == NO else "dim" if word == UNUSED else "green")


def system_table(found: Diagnosis) -> Table:
    """The system, Python, cores, cache and tools of this machine."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan")
    table.add_column(overflow="fold")
    table.add_row("system", found.kernel)
    table.add_row("user", "root" if found.facts.root else f"{os.geteuid()}, not root")
    table.add_row("Python", f"{found.python}, {found.executable}")
    table.add_row("cores", f"{found.cores} of {found.of_cores}")
    if found.cache is None or found.free is None:
        table.add_row("builds", "nowhere to keep them: set XDG_CACHE_HOME")
    else:
        table.add_row("builds", f"in {found.cache}, {found.free / GIB:,.1f} GiB free")
    tools = [tool.name for tool in found.tools if tool.path]
    table.add_row("tools", ", ".join(tools) or "none of those that bots are built by")
    return table


def missing_tools_table(missing: list[Tool]) -> Table:
    """The missing tools, and the commands that install them."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for tool in missing:
        table.add_row(f"  {tool.name}", tool.remedy)
    return table
