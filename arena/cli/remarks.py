"""Remarks, printed as paragraphs."""

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from arena.cli.output import NARROWEST, WIDEST
from arena.cli.untrusted import printable
from arena.ratings.crosstable import Crosstable
from arena.ratings.standings import Standings, Table
from arena.report.remarks import SHOWN, STUCK, counted, percent, some
from arena.report.remarks import remarks as told

__all__ = ["SHOWN", "counted", "head", "nothing", "percent", "remarks", "say", "some"]


def say(console: Console, text: str, style: str = "") -> None:
    """Print a paragraph as wide as it can be read, without breaking what belongs together."""
    for line in lines(text, max(NARROWEST, min(console.width, WIDEST))):
        console.print(Text(line.replace(STUCK, " "), style), no_wrap=True, overflow="crop")


def lines(text: str, width: int) -> Iterator[str]:
    """The text in lines, as wide as a terminal shows them; only a word too long for one is cut."""
    words = []
    for word in text.split(" "):
        words += [word] if cell_len(word) <= width else word.split(STUCK)
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        *full, line = chop_cells(word, width) or [""]
        yield from full
    yield line


def head(console: Console, name: str, table: Table | Crosstable) -> None:
    """Print what a table is about."""
    cells = table.cells
    where = printable(str(cells[0])) if len(cells) == 1 else counted(len(cells), "cell")
    told = [
        part.replace(" ", STUCK)
        for part in (where, counted(table.blocks, "block"), counted(table.games, "game"))
    ]
    say(console, " · ".join((printable(name), *told)), "bold")
    console.print()


def nothing(name: str) -> str:
    """What there is to say of a run without blocks."""
    return f"{printable(name)}: no block is finished yet; ask again when one is."


def remarks(standings: Standings, table: Table) -> Iterator[str]:
    """Everything worth a sentence."""
    yield from told(standings, table)
    if table.faults:
        most = max(table.lines, key=lambda line: line.faults)
        of = "all" if most.faults == table.faults else "most"
        yield (
            f"{counted(table.faults, 'fault')}, {of} by {printable(most.bot)} ({most.faults:,}); "
            "arena games RUN --fault lists them."
        )
    if table.excuses:
        most = max(table.lines, key=lambda line: line.excuses)
        of = "all" if most.excuses == table.excuses else "most"
        yield (
            f"{counted(table.excuses, 'excuse')}, {of} of {printable(most.bot)} "
            f"({most.excuses:,}): the machine killed it or gave it no core, and the games were "
            "played again."
        )
