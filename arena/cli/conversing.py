"""A conversation about a submission, as it is shown to whoever sent it."""

from rich.table import Table
from rich.text import Text

from arena.cli.output import Screen, hanging
from arena.cli.untrusted import printable
from arena.ladder.facts import Fate, Said

MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("…", "dim")}
CHECK = "check "
SHOWN = 30
"""Lines of a piece of evidence."""


class Conversation:
    """Shows what a ladder says, step by step; the steps of a check that passed in one line."""

    def __init__(self, *, hidden: bool = False) -> None:
        self.console = Screen(stderr=hidden)
        self.hidden = hidden
        self.said: list[Said] = []
        self.passed = 0
        """Steps of the check that passed and were not shown yet."""

    def hear(self, said: Said) -> None:
        """Take the next thing that is said."""
        self.said.append(said)
        if self.hidden:
            return
        if said.step.startswith(CHECK) and said.passed:
            self.passed += 1
            return
        self.gathered()
        self.show(said)

    def gathered(self) -> None:
        """Show the steps that passed."""
        if self.passed:
            count, self.passed = self.passed, 0
            steps = "1 step" if count == 1 else f"{count} steps"
            self.show(Said(step="check", passed=True, text=f"{steps} of the protocol kept"))

    def show(self, said: Said) -> None:
        """Show one thing."""
        mark, style = MARKS[said.passed]
        step, _, inner = said.step.partition(" ")
        lead = Text.assemble((f"{mark} ", style), (f"{printable(step):<12}", "bold"))
        text = f"{inner}: {said.text}" if inner else said.text
        hanging(self.console, lead, Text(printable(text)))
        for what, text in said.evidence.items():
            lines = text.splitlines()
            self.console.print(Text(f"    {printable(what)}:", "dim"))
            for line in lines[:SHOWN]:
                self.console.print(Text(f"      {printable(line)}"), soft_wrap=True)
            if len(lines) > SHOWN:
                self.console.print(Text(f"      … {len(lines) - SHOWN} more lines", "dim"))
        if said.table:
            self.table(said.table)

    def table(self, rows: list[list[str]]) -> None:
        """Show a table below what was said."""
        shown = Table.grid(padding=(0, 2, 0, 0))
        shown.add_column(width=12)
        for number, _ in enumerate(rows[0]):
            shown.add_column(justify="right" if number else "left")
        for number, row in enumerate(rows):
            style = "dim" if not number else ""
            shown.add_row("", *(Text(printable(text), style) for text in row))
        self.console.print(shown)

    def close(self, fate: Fate) -> None:
        """What became of it."""
        if self.hidden:
            return
        self.gathered()
        if fate == "refused":
            self.console.print("Refused; nothing of it is left on the ladder.")
