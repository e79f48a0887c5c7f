"""Faults, told to a person: what was wrong, and what shows it."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli.untrusted import printable
from arena.match.faults import Evidence, Fault

LONGEST = 400
"""Characters of a request or a reply that are shown."""

STDERR = 12
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
            more = (
                f"and {count - 1} more of the kind {kind_of}: {printable(names[seat])}, seat {seat}"
            )
            console.print(more, markup=False)


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
    """A request, the reply to it, and the end of stderr; lines stay whole, to be copied."""
    for title, text, style in (("request", request, "dim"), ("reply", reply, "")):
        if text is not None:
            show_line(console, title, cut(text.rstrip("\n")), style)
    for number, line in enumerate(stderr.splitlines()[-STDERR:]):
        show_line(console, "" if number else "stderr", cut(line), "")


def show_line(console: Console, title: str, text: str, style: str) -> None:
    """A line with what it is before it."""
    console.print(Text.assemble((f"{title:>9} ", "cyan"), (printable(text), style)), soft_wrap=True)


def cut(text: str) -> str:
    """A text that may be long, without its middle."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} ... {text[-half:]}"
