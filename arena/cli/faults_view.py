"""Print faults with their evidence: request, reply, stderr and times."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli.output import print_hanging, print_labelled
from arena.referee.faults import Evidence, Fault
from arena.sanitize import cut_middle, printable

STDERR_LINES = 12
"""Lines of stderr that are printed."""


def show_faults(console: Console, names: Sequence[str], faults: Sequence[Fault]) -> None:
    """Print the first fault of each kind and seat, and how many more there are."""
    counts: Counter[tuple[int, str]] = Counter()
    for fault in faults:
        counts[fault.seat, fault.fault] += 1
        if counts[fault.seat, fault.fault] == 1:
            console.print()
            show_fault(console, names[fault.seat], fault)
    for (seat, kind), count in counts.items():
        if count > 1:
            more = f"{count - 1} more of the kind {kind}: {printable(names[seat])}, seat {seat}"
            print_hanging(console, Text("and "), Text(more))


def show_fault(console: Console, name: str, fault: Fault) -> None:
    """Print a fault with its evidence."""
    where = f", choice {fault.place}" if fault.place is not None else ""
    text = f"  {printable(name)}, seat {fault.seat}{where}: {printable(cut_middle(fault.text))}"
    print_hanging(console, Text("fault ", "red"), Text.assemble((fault.fault, "bold red"), text))
    show_evidence(console, fault.evidence)


def show_evidence(console: Console, evidence: Evidence) -> None:
    """Print the times, the request, the reply and the end of stderr."""
    if evidence.wall or evidence.cpu:
        console.print(f"  after {evidence.wall:.3f} s, {evidence.cpu:.3f} s of them CPU time")
    show_exchange(console, evidence.request, evidence.reply, evidence.stderr)


def show_exchange(console: Console, request: str | None, reply: str | None, stderr: str) -> None:
    """Print a request, the reply to it, and the end of stderr."""
    for title, text, style in (("request", request, "dim"), ("reply", reply, "")):
        if text is not None:
            print_labelled(console, title, text.rstrip("\n"), style)
    for number, line in enumerate(stderr.splitlines()[-STDERR_LINES:]):
        print_labelled(console, "" if number else "stderr", line)
