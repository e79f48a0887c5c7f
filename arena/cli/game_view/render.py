"""Print a game in the terminal, event by event."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.game_view.cards import card_text, cards_text, colour_text, join_texts
from arena.cli.game_view.event_tracker import EventTracker, Excerpt, LocatedEvent
from arena.cli.game_view.scoreboard import final_table, round_table
from arena.cli.game_view.table import TablePrinter
from arena.cli.output import print_lines
from arena.games import events
from arena.games.events import (
    Dealt,
    Designated,
    Event,
    Hinted,
    LaidOut,
    LeftOver,
    Named,
    Passed,
    Picked,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    SetAside,
    TaskChosen,
    TokensShown,
    TokenTaken,
    Took,
    TrumpsShown,
)
from arena.games.hat_trick import HatTrickGame
from arena.games.replay import Step
from arena.referee.faults import Fault
from arena.referee.record import rank_seats

HINT_PREFIX = "hint "
"""Printed before the seat that a hint names."""

READING_TIMES: Final[dict[type[Event], int]] = {
    events.Took: 2,
    events.SetAside: 2,
    events.Designated: 4,
    events.Revealed: 4,
    events.Named: 4,
    events.LaidOut: 8,
    events.Scored: 12,
}
"""How long a person needs to read an event, in cards; other events need 1."""


def pause_seconds(step: Step, speed: float) -> float:
    """Seconds to wait after a step at a speed of so many cards a second."""
    cards = max((READING_TIMES.get(type(event), 1) for event in step.events()), default=1)
    return cards / speed


def show_tokens(printer: TablePrinter, events: list[TokensShown]) -> None:
    """Print the tokens on the table."""
    tasks = events[0].tasks
    printer.print_blank()
    items = [Text(f"{task} ×{tasks.count(task)}") for task in dict.fromkeys(tasks)]
    printer.print_items("tokens", items, gap=3)


def show_token_choice(printer: TablePrinter, events: list[TokenTaken]) -> None:
    """Collect the tokens that seats take, and print them when each seat has taken one."""
    printer.taken_tokens += [printer.choice_text(event.seat, Text(event.task)) for event in events]
    if len(printer.taken_tokens) == printer.labels.seats:
        printer.print_items(" taken", printer.taken_tokens, gap=3)
        printer.taken_tokens = []


def show_columns(printer: TablePrinter, events: list[LaidOut]) -> None:
    """Print the columns of a round, side by side."""
    columns = events[0].columns
    numbers = "".join(f"{number + 1:<4}" for number in range(len(columns)))
    printer.print_blank()
    lines = [Text(f"  columns  {numbers}".rstrip(), "dim")]
    for row in zip(*columns, strict=True):
        line = Text(" " * 11)
        for token in row:
            line.append_text(card_text(token)).append(" " * (4 - len(token)))
        line.rstrip()
        lines.append(line)
    print_lines(printer.console, lines)


def show_trumps(printer: TablePrinter, events: list[TrumpsShown]) -> None:
    """Print the trumps; the dealer sees them before the draft, all others after it."""
    shown = events[0]
    if shown.to is None:
        printer.print_blank()
    print_trumps(printer, shown)
    if shown.to is None:
        printer.print_hands()


def print_trumps(printer: TablePrinter, shown: TrumpsShown) -> None:
    """Print the trump colour and the trump number."""
    colour = colour_text(shown.colour) if shown.colour else Text("no colour")
    name = f" {COLOURS[shown.colour]}" if shown.colour else ""
    number = "no number" if shown.number is None else f"number {shown.number}"
    to = "" if shown.to is None else ", shown to the dealer alone"
    printer.print_items("trumps", [Text.assemble(colour, name, " and ", number, (to, "dim"))])


def show_pick(printer: TablePrinter, events: list[Picked]) -> None:
    """Add a picked card to its column."""
    size = len(printer.table.columns[0])
    for event in events:
        printer.add_card(
            printer.table.picked_columns + 1, event.seat, event.card, size=size, ending=HINT_PREFIX
        )


def show_hint(printer: TablePrinter, events: list[Hinted]) -> None:
    """Print the column and the seat that would win it as a trick."""
    printer.finish_trick([events[0].seat])


def show_tasks(printer: TablePrinter, events: list[TaskChosen]) -> None:
    """Print the tasks of the round."""
    printer.print_choices("tasks", {event.seat: Text(event.task) for event in events})


def show_nothing(_printer: TablePrinter, _events: list[Event]) -> None:
    """Print nothing: the table at the end of the round shows it."""


def show_round_start(printer: TablePrinter, events: list[RoundBegan]) -> None:
    """Print the heading of a round; in games with a dealer also the remaining tokens."""
    table, labels = printer.table, printer.labels
    if table.dealer is None:
        printer.print_heading(printer.round_name(), labels.label(events[0].leader).append(" leads"))
        return
    printer.print_heading(printer.round_name(), labels.label(table.dealer).append(" deals"))
    for seat, tokens in enumerate(table.tokens):
        printer.print_seat_items(seat, [*map(Text, tokens)], gap=2)


def show_deal(printer: TablePrinter, _events: list[Dealt]) -> None:
    """Print the hands."""
    printer.print_hands()


def show_left_over(printer: TablePrinter, events: list[LeftOver]) -> None:
    """Print the cards that are in no hand."""
    printer.print_items("left over", [*map(card_text, events[0].cards)])


def show_designated(printer: TablePrinter, events: list[Designated]) -> None:
    """Print the designating cards, which may be face down."""
    title = "designated" if events[0].to is None else "designated, face down"
    printer.print_choices(title, {event.seat: cards_text(event.cards) for event in events})


def show_revealed(printer: TablePrinter, events: list[Revealed]) -> None:
    """Print designating cards that are turned up."""
    printer.print_blank()
    printer.print_facts("turned up", {event.seat: cards_text(event.cards) for event in events})


def show_named(printer: TablePrinter, events: list[Named]) -> None:
    """Print the colours that are named after the last trick."""
    printer.print_blank()
    printer.print_choices(
        "special", {event.seat: join_texts(map(colour_text, event.colours)) for event in events}
    )


def show_played(printer: TablePrinter, events: list[Played] | list[Passed]) -> None:
    """Add a card to its trick, played or passed."""
    for event in events:
        is_pass = isinstance(event, Passed)
        printer.add_card(printer.table.trick_index + 1, event.seat, event.card, is_pass=is_pass)


def show_taken(printer: TablePrinter, events: list[Took]) -> None:
    """Print the trick and the seat that takes it; a double trick has two."""
    printer.finish_trick([event.seat for event in events])


def show_set_aside(printer: TablePrinter, _events: list[SetAside]) -> None:
    """Print a trick that no seat takes."""
    printer.finish_trick([])


def show_scores(printer: TablePrinter, events: list[Scored]) -> None:
    """Print the scores of the round."""
    printer.print_remarks()
    printer.print_blank()
    board = round_table(printer.labels, printer.table, events[0])
    printer.console.print(Padding(board, (0, 0, 0, 2), expand=False))


RENDERERS: Final[dict[type[events.Event], Callable[[TablePrinter, Any], None]]] = {
    events.RoundBegan: show_round_start,
    events.Dealt: show_deal,
    events.LeftOver: show_left_over,
    events.Designated: show_designated,
    events.Revealed: show_revealed,
    events.Named: show_named,
    events.Played: show_played,
    events.Passed: show_played,
    events.Took: show_taken,
    events.SetAside: show_set_aside,
    events.Scored: show_scores,
    events.TokensShown: show_tokens,
    events.TokenTaken: show_token_choice,
    events.LaidOut: show_columns,
    events.TrumpsShown: show_trumps,
    events.Picked: show_pick,
    events.Hinted: show_hint,
    events.TaskChosen: show_tasks,
    events.TaskJudged: show_nothing,
    events.Discarded: show_nothing,
}
"""The function that prints events of a kind; events that happen together are passed together."""


class GameRenderer:
    """Prints a game step by step; all of it, what one seat sees, or a part."""

    def __init__(
        self,
        console: Console,
        names: Sequence[str],
        from_seat: int | None = None,
        *,
        excerpt: Excerpt | None = None,
        live: bool = False,
    ) -> None:
        self.printer = TablePrinter(console, names, from_seat, live=live)
        self.from_seat = from_seat
        self.excerpt = excerpt or Excerpt()
        self.tracker = EventTracker(from_seat)
        self.step: Step | None = None
        self.faults: Sequence[Fault] = ()
        self.has_shown_situation = False
        """Whether the situation before the trick of the excerpt was printed."""

    def show_step(
        self,
        step: Step,
        *,
        notes: Mapping[int, str] | None = None,
        faults: Sequence[Fault] = (),
        wall: Sequence[int] = (),
    ) -> bool:
        """Print a step, with the notes, faults and times of the game so far.

        Where a bot at fault took no time, the referee chose. Returns whether anything was printed.
        """
        printer = self.printer
        if self.step is None:
            self.print_title(step)
        self.step, self.faults = step, faults
        remarks = list(printer.remarks.step_remarks(step, notes or {}, faults, wall))
        visible = list(self.tracker.step_events(step))
        if visible and self.excerpt.contains(visible[0]):
            printer.pending_remarks += remarks
        for _, group in groupby(visible, key=lambda one: type(one.event)):
            self.show_events(list(group))
        if not printer.trick_line and not printer.taken_tokens:
            printer.print_remarks()
        return any(map(self.excerpt.contains, visible))

    def show_events(self, group: list[LocatedEvent]) -> None:
        """Print events of one kind."""
        happened = [located.event for located in group]
        is_shown = self.excerpt.contains(group[0])
        if is_shown and self.excerpt.trick is not None and not self.has_shown_situation:
            self.print_situation(self.excerpt.trick)
        if isinstance(happened[0], events.Ended):
            if is_shown:
                self.print_result("The end")
            return
        for event in happened:
            self.printer.table.apply(event)
        if is_shown:
            RENDERERS[type(happened[0])](self.printer, happened)

    def print_title(self, step: Step) -> None:
        """Print the variant and the meaning of the marks."""
        game, console = step.game, self.printer.console
        self.printer.rounds = game.sizes.rounds
        viewpoint = "" if self.from_seat is None else f", as seat {self.from_seat} sees it"
        words = f" with {game.seats} seats{viewpoint}"
        passes = ", × is a pass" if isinstance(game, HatTrickGame) else ""
        console.print(Text.assemble((game.variant, "bold"), words))
        console.print(Text(f"The first card of a line leads, * takes the trick{passes}.", "dim"))

    def print_situation(self, trick: int) -> None:
        """Print the hands and what else is on the table as a trick begins."""
        self.has_shown_situation = True
        printer, table = self.printer, self.printer.table
        printer.print_heading(f"{printer.round_name()}, trick {trick + 1}")
        printer.print_hands()
        printer.print_facts(
            "designated",
            {seat: cards_text(cards) for seat, cards in table.designated_cards.items()},
        )
        if table.trumps:
            print_trumps(printer, table.trumps)
        printer.print_facts("tasks", {seat: Text(task) for seat, task in table.tasks.items()})
        if trick:
            printer.print_blank()

    def print_aborted(self, faults: Sequence[Fault] = ()) -> None:
        """Print the result of a game that was stopped before its end."""
        self.faults = faults or self.faults
        self.finish_line()
        self.print_result("Broken off")

    def print_result(self, words: str) -> None:
        """Print the ranks and scores."""
        printer = self.printer
        printer.pending_remarks += printer.remarks.final_remarks(self.faults)
        printer.print_remarks()
        if self.step:
            game, state = self.step.game, self.step.after
            final_ranks = rank_seats(game, state, self.faults)
            board = final_table(printer.labels, game.scores(state), final_ranks, self.faults)
            printer.print_heading(words)
            printer.console.print(Padding(board, (0, 0, 0, 2), expand=False))

    def finish_line(self) -> None:
        """Finish the current line, when the output is interrupted."""
        if self.printer.trick_line:
            self.printer.console.print(self.printer.trick_line.text())
            self.printer.trick_line = None
