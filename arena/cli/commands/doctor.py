"""The command `arena doctor`: report sandbox features and compilers of this machine."""

import os
import sys

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.machine_diagnosis import Diagnosis, Tool, diagnose
from arena.bots.sandbox.doctor import NO, UNUSED, Layer
from arena.cli.output import SafeConsole, print_json

GIB = 1 << 30


@click.command(short_help="Check this machine's sandbox and compilers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(*, as_json: bool) -> None:
    """Check which sandbox features and compilers this machine has, and how to install the rest.

    A program is run in the sandbox to find that out. Bots get the level 'standard' if neither
    --sandbox nor the tournament's file names another one. The exit status is 0 if it is available,
    else 1.
    """
    diagnosis = diagnose()
    if as_json:
        print_json(diagnosis)
    else:
        show_diagnosis(SafeConsole(), diagnosis)
    if not diagnosis.standard:
        sys.exit(1)


def show_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Print the diagnosis for a person."""
    console.print(layers_table(diagnosis.layers))
    console.print()
    for level, is_available in (("standard", diagnosis.standard), ("strict", diagnosis.strict)):
        status = ("can be had", "green") if is_available else ("cannot be had", "bold red")
        console.print(Text.assemble((level, "bold"), " ", status))
    for remedy in diagnosis.remedies:
        console.print(f"\nTo get {remedy.what}:")
        console.print(Text(f"  {remedy.command}", "bold"), soft_wrap=True)
    console.print()
    console.print(system_table(diagnosis))
    missing = [tool for tool in diagnosis.tools if tool.path is None]
    if missing:
        console.print("\nMissing, if a bot needs them:")
        console.print(missing_tools_table(missing))


def layers_table(layers: tuple[Layer, ...]) -> Table:
    """The layers of the sandbox, one in each row."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
    for title in ("sandbox", "this machine", "standard", "strict"):
        table.add_column(title, overflow="fold", no_wrap=title in {"standard", "strict"})
    for layer in layers:
        table.add_row(
            layer.name, layer.here, status_text(layer.standard), status_text(layer.strict)
        )
    return table


def status_text(word: str) -> Text:
    """The status of a layer in its colour."""
    return Text(word, "red" if word == NO else "dim" if word == UNUSED else "green")


def system_table(diagnosis: Diagnosis) -> Table:
    """The system, Python, cores, cache and tools of this machine."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan")
    table.add_column(overflow="fold")
    table.add_row("system", diagnosis.kernel)
    table.add_row("user", "root" if diagnosis.facts.root else f"{os.geteuid()}, not root")
    table.add_row("Python", f"{diagnosis.python}, {diagnosis.executable}")
    table.add_row("cores", f"{diagnosis.cores} of {diagnosis.of_cores}")
    if diagnosis.cache is None or diagnosis.free is None:
        table.add_row("builds", "nowhere to keep them: set XDG_CACHE_HOME")
    else:
        table.add_row("builds", f"in {diagnosis.cache}, {diagnosis.free / GIB:,.1f} GiB free")
    tools = [tool.name for tool in diagnosis.tools if tool.path]
    table.add_row("tools", ", ".join(tools) or "none of those that bots are built by")
    return table


def missing_tools_table(missing: list[Tool]) -> Table:
    """The missing tools, and the commands that install them."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for tool in missing:
        table.add_row(f"  {tool.name}", tool.remedy)
    return table
