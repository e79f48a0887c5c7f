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
"""What bots of the languages that there are kits for are built and run by."""

GIB = 1 << 30


class Tool(Struct, frozen=True):
    """A program that bots are built or run by."""

    name: str
    path: str | None
    remedy: str
    """How to get it."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What there is on this machine."""

    standard: bool
    """Whether this level of the sandbox can be had."""
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
    """Where builds are kept."""
    free: int | None
    """Bytes that are free there."""
    tools: tuple[Tool, ...]


@click.command(short_help="Say what this machine offers, and how to get the rest.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(*, as_json: bool) -> None:
    """Say how strongly bots can be walled in on this machine, and how to get more.

    A program is run inside the walls to find that out. 'standard' is what bots get if nothing else
    is asked for by --sandbox or in a tournament's file. The exit status is 0 if it can be had, and
    1 if not.
    """
    found = diagnosis()
    if as_json:
        print_json(found)
    else:
        show_diagnosis(SafeConsole(), found)
    if not found.standard:
        sys.exit(1)


def diagnosis() -> Diagnosis:
    """Everything that is found."""
    facts = detect_features()
    place, free = build_cache()
    with ThreadPoolExecutor() as pool:  # some take half a second to print their version
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
        cache=place,
        free=free,
        tools=tuple(tools),
    )


def find_tool(name: str) -> Tool:
    """A program, if it runs."""
    path = find_installed(name, thorough=True)
    return Tool(name, path, install_hint(name) if path else repair_hint(name))


def build_cache() -> tuple[str | None, int | None]:
    """Where builds are kept, and how much is free there."""
    try:
        place = builds_folder()
    except ArenaError:
        return None, None
    there = next(folder for folder in (place, *place.parents) if is_reachable(folder))
    return str(place), shutil.disk_usage(there).free


def is_reachable(folder: Path) -> bool:
    """Whether a folder is there, as far as this user can see."""
    try:
        return folder.exists()
    except OSError:
        return False


def show_diagnosis(console: Console, found: Diagnosis) -> None:
    """What was found, for a person to read."""
    console.print(layers_table(found.layers))
    console.print()
    for level, there in (("standard", found.standard), ("strict", found.strict)):
        told = ("can be had", "green") if there else ("cannot be had", "bold red")
        console.print(Text.assemble((level, "bold"), " ", told))
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
    """The layers, one on each line."""
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
    for title in ("sandbox", "this machine", "standard", "strict"):
        board.add_column(title, overflow="fold", no_wrap=title in {"standard", "strict"})
    for layer in found:
        board.add_row(
            layer.name, layer.here, status_text(layer.standard), status_text(layer.strict)
        )
    return board


def status_text(word: str) -> Text:
    """Whether something is in force."""
    return Text(word, "red" if word == NO else "dim" if word == UNUSED else "green")


def system_table(found: Diagnosis) -> Table:
    """What else is good to know."""
    board = Table.grid(padding=(0, 2, 0, 0))
    board.add_column(style="cyan")
    board.add_column(overflow="fold")
    board.add_row("system", found.kernel)
    board.add_row("user", "root" if found.facts.root else f"{os.geteuid()}, not root")
    board.add_row("Python", f"{found.python}, {found.executable}")
    board.add_row("cores", f"{found.cores} of {found.of_cores}")
    if found.cache is None or found.free is None:
        board.add_row("builds", "nowhere to keep them: set XDG_CACHE_HOME")
    else:
        board.add_row("builds", f"in {found.cache}, {found.free / GIB:,.1f} GiB free")
    there = [tool.name for tool in found.tools if tool.path]
    board.add_row("tools", ", ".join(there) or "none of those that bots are built by")
    return board


def missing_tools_table(missing: list[Tool]) -> Table:
    """Tools that are not there, and how to get them."""
    board = Table.grid(padding=(0, 2, 0, 0))
    for tool in missing:
        board.add_row(f"  {tool.name}", tool.remedy)
    return board
