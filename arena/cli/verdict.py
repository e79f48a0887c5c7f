"""Faults, told to a person: what was wrong, and what shows it."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.untrusted import printable
from arena.match.faults import Evidence, Fault

LONGEST = 400
"""Characters of a request or a reply that are shown."""

STDERR = 12
"""Lines of stderr that are shown."""


def show_fault(console: Console, name: str, fault: Fault) -> None:
    """A fault with its evidence."""
    where = f", choice {fault.place}" if fault.place is not None else ""
    console.print(
        Text.assemble(
            ("fault ", "red"),
            (fault.fault, "bold red"),
            f"  {printable(name)}, seat {fault.seat}{where}: {printable(fault.text)}",
        )
    )
    show_evidence(console, fault.evidence)


def show_evidence(console: Console, evidence: Evidence) -> None:
    """What was asked, what came back, what stood on stderr, how long it took."""
    if evidence.wall or evidence.cpu:
        console.print(f"  after {evidence.wall:.3f} s, {evidence.cpu:.3f} s of them CPU time")
    show_exchange(console, evidence.request, evidence.reply, evidence.stderr)


def show_exchange(console: Console, request: str | None, reply: str | None, stderr: str) -> None:
    """A request, the reply to it, and the end of stderr."""
    rows = [("request", request), ("reply", reply)]
    rows += [("stderr", line) for line in stderr.splitlines()[-STDERR:]]
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=9, justify="right")
    grid.add_column(overflow="fold")
    before = ""
    for title, text in rows:
        if text is not None:
            label = Text("" if title == before else title, "cyan")
            grid.add_row(label, Text(printable(cut(text.rstrip("\n"))), "dim"))
            before = title
    if grid.row_count:
        console.print(grid)


def cut(text: str) -> str:
    """A text that may be long, without its middle."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} ... {text[-half:]}"
