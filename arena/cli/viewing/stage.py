"""The stage a game is shown on: what is known of the table, and the ways to print it."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from arena.cards import Card
from arena.cli.viewing.faces import card, flow
from arena.cli.viewing.remarks import Remark, Remarks
from arena.cli.viewing.seating import Seating
from arena.cli.viewing.tabletop import Tabletop
from arena.cli.viewing.trick_line import STANDS_IN, TrickLine

INDENT = 4
BROADEST = 100
"""Columns of a heading."""


class Stage:
    """Prints parts of a game for one terminal."""

    def __init__(
        self, console: Console, names: Sequence[str], from_seat: int | None, *, live: bool
    ) -> None:
        self.console = console
        self.seating = Seating(names)
        self.live = live and console.is_terminal
        """Whether a trick is shown card by card."""
        self.table = Tabletop(len(names))
        self.remarks = Remarks(from_seat)
        self.rounds: int | None = None
        self.line: TrickLine | None = None
        """The trick or column on the table."""
        self.taken: list[Text] = []
        """Tokens taken since everybody last had one."""
        self.said: list[Remark] = []
        """Remarks to be printed under the line at hand."""

    def blank(self) -> None:
        """An empty line."""
        self.console.print()

    def heading(self, words: str, more: Text | None = None) -> None:
        """The title of a round."""
        line = Text.assemble((f"━━ {words} ", "bold"))
        if more:
            line.append("━━ ").append_text(more).append(" ")
        line.append("━" * max(0, min(self.console.width, BROADEST) - line.cell_len))
        self.blank()
        self.console.print(line, no_wrap=True, overflow="crop")

    def round_name(self) -> str:
        """Which round of how many."""
        return f"Round {self.table.round + 1}" + (f" of {self.rounds}" if self.rounds else "")

    def flow(self, what: str, items: Sequence[Text], gap: int = 1) -> None:
        """Things of a kind, in as many lines as they need."""
        flow(self.console, Text(f"  {what}  ", "dim"), items, gap)

    def own(self, seat: int, items: Sequence[Text], gap: int = 1) -> None:
        """What is a seat's own, in as many lines as it needs."""
        flow(self.console, Text.assemble("  ", self.seating.column(seat), "  "), items, gap)

    def hands(self) -> None:
        """All hands that are known."""
        for seat, cards in sorted(self.table.hands.items()):
            if seat < self.seating.seats:
                self.own(seat, [*map(card, cards)])

    def chosen(self, seat: int, what: Text) -> Text:
        """A seat and its choice, marked if the referee made it."""
        mark = STANDS_IN if self.remarks.stands_in(seat) else ""
        return Text.assemble(self.seating.label(seat), " ", (mark, "bold red"), what)

    def facts(self, what: str, known: Mapping[int, Text]) -> None:
        """What is known of these seats, one after another."""
        items = [Text.assemble(self.seating.label(seat), " ", fact) for seat, fact in known.items()]
        if items:
            self.flow(what, items, gap=3)

    def choices(self, what: str, made: Mapping[int, Text]) -> None:
        """What these seats chose, one after another, and what was remarked on it."""
        self.flow(what, [self.chosen(seat, choice) for seat, choice in made.items()], gap=3)
        self.remark()

    def lay(  # noqa: PLR0913 (a column has other cards and another ending than a trick)
        self,
        number: int,
        seat: int,
        token: Card,
        *,
        passed: bool = False,
        size: int | None = None,
        ending: str = "",
    ) -> None:
        """One more card of a trick or column."""
        if self.line is None:
            size = size or self.seating.seats
            self.line = TrickLine(self.seating, self.console.width, number, size, ending)
            if number == 1:
                self.blank()
        self.line.lay(seat, token, passed=passed, stands_in=self.remarks.stands_in(seat))
        if self.live and self.line.fits():
            self.console.print(self.line.text(), end="")
            self.console.control(Control(ControlType.CARRIAGE_RETURN))

    def take(self, takers: Sequence[int]) -> None:
        """The trick or column is complete, and these seats have its best cards."""
        if self.line:
            winners = [laid.card for laid in self.line.laid if laid.seat in takers]
            self.console.print(self.line.text(winners, self.line.endings(takers)))
            self.line = None
        self.remark()

    def remark(self) -> None:
        """Print what was remarked on the choices so far."""
        for seat, text in self.said:
            line = Text.assemble(self.seating.label(seat, style="dim"), "  ", text)
            room = max(self.console.width - INDENT, 1)
            for part in line.wrap(self.console, room, overflow="fold"):
                part.rstrip()
                self.console.print(Text.assemble(" " * INDENT, part), overflow="fold")
        self.said = []
