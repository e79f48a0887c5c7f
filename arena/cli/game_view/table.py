"""The visible state of a game's table, and functions that print it."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from arena.cards import Card, Colour, sort_cards
from arena.cli.game_view.cards import STAND_IN_MARK, SeatLabels, TrickLine, card_text, print_wrapped
from arena.cli.game_view.event_tracker import Remark, RemarkTracker
from arena.games.events import (
    Dealt,
    Designated,
    Discarded,
    Event,
    Hinted,
    LaidOut,
    Named,
    Passed,
    Picked,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    TaskChosen,
    TaskJudged,
    TokensShown,
    TokenTaken,
    Took,
    TrumpsShown,
)

INDENT = 4
"""Spaces before a remark."""
MAX_HEADING_WIDTH = 100


class VisibleTable:
    """The state of the table as far as the visible events show it."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.dealer: int | None = None
        self.tokens: list[list[str]] = [[] for _ in range(seats)]
        self.start_round(0)

    def start_round(self, number: int) -> None:
        """Reset what belongs to a round."""
        self.round = number
        self.hands: dict[int, tuple[Card, ...]] = {}
        self.designated_cards: dict[int, tuple[Card, ...]] = {}
        self.special_colours: dict[int, tuple[Colour, ...]] = {}
        self.card_count = 0
        """Cards played or passed."""
        self.columns: tuple[tuple[Card, ...], ...] = ()
        self.picked_columns = 0
        """Columns that were picked."""
        self.trick_counts = [0] * self.seats
        self.won_cards: list[list[Card]] = [[] for _ in range(self.seats)]
        self.pass_counts = [0] * self.seats
        self.trumps: TrumpsShown | None = None
        self.tasks: dict[int, str] = {}
        self.judged_tasks: dict[int, TaskJudged] = {}
        self.discarded_tokens: dict[int, str] = {}

    def apply(self, event: Event) -> None:  # noqa: PLR0912 (one case for each kind)
        """Update the state by an event."""
        match event:
            case RoundBegan(round=number):
                self.start_round(number)
            case Dealt(seat=seat, cards=cards):
                self.hands[seat] = cards
            case Designated(seat=seat, cards=cards) | Revealed(seat=seat, cards=cards):
                self.designated_cards[seat] = cards
                self.special_colours[seat] = tuple(dict.fromkeys(card[0] for card in cards))
                self.take_from_hand(seat, cards)
            case Named(seat=seat, colours=colours):
                self.special_colours[seat] = colours
            case Played(seat=seat, card=card):
                self.play_card(seat, card)
            case Passed(seat=seat, card=card):
                self.play_card(seat, card)
                self.pass_counts[seat] += 1
            case Took(seat=seat, cards=cards):
                self.trick_counts[seat] += 1
                self.won_cards[seat] += cards
            case TokensShown(dealer=dealer):
                self.dealer = dealer
            case TokenTaken(seat=seat, task=task):
                self.tokens[seat] = sorted((*self.tokens[seat], task))
            case TrumpsShown():
                self.trumps = event
            case Picked(seat=seat, card=card):
                self.hands[seat] = sort_cards((*self.hands.get(seat, ()), card))
            case LaidOut(columns=columns):
                self.columns = columns
            case Hinted():
                self.picked_columns += 1
            case TaskChosen(seat=seat, task=task):
                self.tasks[seat] = task
            case TaskJudged(seat=seat):
                self.judged_tasks[seat] = event
            case Discarded(seat=seat, task=task):
                self.tokens[seat].remove(task)
                self.discarded_tokens[seat] = task
            case Scored() if self.dealer is not None:
                self.dealer = (self.dealer + 1) % self.seats

    def play_card(self, seat: int, card: Card) -> None:
        """Move a card from a hand to the trick."""
        self.card_count += 1
        self.take_from_hand(seat, (card,))

    @property
    def trick_index(self) -> int:
        """The number of the last trick that has a card, counted from 0."""
        return max(self.card_count - 1, 0) // self.seats

    def take_from_hand(self, seat: int, cards: tuple[Card, ...]) -> None:
        """Remove cards from a hand, if it is known."""
        if seat in self.hands:
            self.hands[seat] = tuple(card for card in self.hands[seat] if card not in cards)

    def special_cards(self, seat: int) -> tuple[Card, ...]:
        """The cards of its special colours that a seat has won or designated."""
        special = self.special_colours.get(seat, ())
        own = (*self.designated_cards.get(seat, ()), *self.won_cards[seat])
        return sort_cards(card for card in own if card[0] in special)


class TablePrinter:
    """Prints parts of a game for one terminal."""

    def __init__(
        self, console: Console, names: Sequence[str], from_seat: int | None, *, live: bool
    ) -> None:
        self.console = console
        self.labels = SeatLabels(names)
        self.is_live = live and console.is_terminal
        """Whether a trick is shown card by card."""
        self.table = VisibleTable(len(names))
        self.remarks = RemarkTracker(from_seat)
        self.rounds: int | None = None
        self.trick_line: TrickLine | None = None
        """The trick or column on the table."""
        self.taken_tokens: list[Text] = []
        """Tokens that were taken in this turn of all seats."""
        self.pending_remarks: list[Remark] = []
        """Remarks to print below the current line."""

    def print_blank(self) -> None:
        """Print an empty line."""
        self.console.print()

    def print_heading(self, words: str, more: Text | None = None) -> None:
        """Print the title of a round."""
        line = Text.assemble((f"━━ {words} ", "bold"))
        if more:
            line.append("━━ ").append_text(more).append(" ")
        line.append("━" * max(0, min(self.console.width, MAX_HEADING_WIDTH) - line.cell_len))
        self.print_blank()
        self.console.print(line, no_wrap=True, overflow="crop")

    def round_name(self) -> str:
        """The number of the round, and how many there are, if that is known."""
        return f"Round {self.table.round + 1}" + (f" of {self.rounds}" if self.rounds else "")

    def print_items(self, title: str, items: Sequence[Text], gap: int = 1) -> None:
        """Print items behind their title, in as many lines as they need."""
        print_wrapped(self.console, Text(f"  {title}  ", "dim"), items, gap)

    def print_seat_items(self, seat: int, items: Sequence[Text], gap: int = 1) -> None:
        """Print the items of a seat, in as many lines as they need."""
        print_wrapped(
            self.console, Text.assemble("  ", self.labels.padded_label(seat), "  "), items, gap
        )

    def print_hands(self) -> None:
        """Print all hands that are known."""
        for seat, cards in sorted(self.table.hands.items()):
            if seat < self.labels.seats:
                self.print_seat_items(seat, [*map(card_text, cards)])

    def choice_text(self, seat: int, choice: Text) -> Text:
        """A seat and its choice, marked if the referee made it."""
        mark = STAND_IN_MARK if self.remarks.is_stand_in(seat) else ""
        return Text.assemble(self.labels.label(seat), " ", (mark, "bold red"), choice)

    def print_facts(self, title: str, facts: Mapping[int, Text]) -> None:
        """Print a fact about each of these seats."""
        items = [Text.assemble(self.labels.label(seat), " ", fact) for seat, fact in facts.items()]
        if items:
            self.print_items(title, items, gap=3)

    def print_choices(self, title: str, choices: Mapping[int, Text]) -> None:
        """Print the choice of each of these seats, and the remarks on them."""
        self.print_items(
            title, [self.choice_text(seat, choice) for seat, choice in choices.items()], gap=3
        )
        self.print_remarks()

    def add_card(  # noqa: PLR0913 (a column has other cards and another ending than a trick)
        self,
        number: int,
        seat: int,
        token: Card,
        *,
        is_pass: bool = False,
        size: int | None = None,
        ending: str = "",
    ) -> None:
        """Add a card to the line of the trick or column, which a live display redraws."""
        if self.trick_line is None:
            size = size or self.labels.seats
            self.trick_line = TrickLine(self.labels, self.console.width, number, size, ending)
            if number == 1:
                self.print_blank()
        self.trick_line.add_card(
            seat, token, is_pass=is_pass, is_stand_in=self.remarks.is_stand_in(seat)
        )
        if self.is_live and self.trick_line.fits():
            self.console.print(self.trick_line.text(), end="")
            self.console.control(Control(ControlType.CARRIAGE_RETURN))

    def finish_trick(self, takers: Sequence[int]) -> None:
        """Print the complete trick or column and the seats that take it."""
        if self.trick_line:
            cards = self.trick_line.played_cards
            winners = [played.card for played in cards if played.seat in takers]
            self.console.print(self.trick_line.text(winners, self.trick_line.ending_texts(takers)))
            self.trick_line = None
        self.print_remarks()

    def print_remarks(self) -> None:
        """Print the pending remarks."""
        for seat, text in self.pending_remarks:
            line = Text.assemble(self.labels.label(seat, style="dim"), "  ", text)
            room = max(self.console.width - INDENT, 1)
            for part in line.wrap(self.console, room, overflow="fold"):
                part.rstrip()
                self.console.print(Text.assemble(" " * INDENT, part), overflow="fold")
        self.pending_remarks = []
