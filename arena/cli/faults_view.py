"""Print faults with their evidence: request, reply, stderr and times."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli.output import print_hanging, safe_text
from arena.referee.faults import Evidence, Fault
from arena.sanitize import cut_middle, printable

STDERR_LINES = 12
"""Lines of stderr that are shown."""


def show_faults(console: Console, names: Sequence[str], faults: Sequence[Fault]) -> None:
    """Faults with their evidence, but of each kind and seat only the first."""
    seen: dict[tuple[int, str], int] = {}
    for fault in faults:
        kind = fault.seat, fault.fault
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] == 1:
            console.print()
            show_fault(console, names[fault.seat], fault)
    for (seat, kind_of), count in seen.items():
        if count > 1:
            more = f"{count - 1} more of the kind {kind_of}: {printable(names[seat])}, seat {seat}"
            print_hanging(console, Text("and "), Text(more))


def show_fault(console: Console, name: str, fault: Fault) -> None:
    """A fault with its evidence."""
    where = f", choice {fault.place}" if fault.place is not None else ""
    told = f"  {printable(name)}, seat {fault.seat}{where}: {printable(cut_middle(fault.text))}"
    print_hanging(console, Text("fault ", "red"), Text.assemble((fault.fault, "bold red"), told))
    show_evidence(console, fault.evidence)


def show_evidence(console: Console, evidence: Evidence) -> None:
    """What was asked, what came back, what stood on stderr, how long it took."""
    if evidence.wall or evidence.cpu:
        console.print(f"  after {evidence.wall:.3f} s, {evidence.cpu:.3f} s of them CPU time")
    show_exchange(console, evidence.request, evidence.reply, evidence.stderr)


def show_exchange(console: Console, request: str | None, reply: str | None, stderr: str) -> None:
    """A request, the reply to it, and the end of stderr."""
    for title, text, style in (("request", request, "dim"), ("reply", reply, "")):
        if text is not None:
            show_line(console, title, text.rstrip("\n"), style)
    for number, line in enumerate(stderr.splitlines()[-STDERR_LINES:]):
        show_line(console, "" if number else "stderr", line, "")


def show_line(console: Console, title: str, text: str, style: str) -> None:
    """A line with what it is before it: whole, to be copied, unless it is said to a terminal.

    That would go on at the beginning of the next line, where a text could pass for one of ours.
    """
    lead = Text(f"{title:>9} ", "cyan")
    said = safe_text(cut_middle(text), style)
    if console.is_terminal:
        print_hanging(console, lead, said)
    else:
        console.print(lead + said, soft_wrap=True)
