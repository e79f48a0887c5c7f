"""Print a game in the terminal, event by event."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from arena.cards import COLOURS
from arena.cli.game_view.cards import card_text, cards_text, colour_text, join_texts
from arena.cli.game_view.scoreboard import final_table, round_table
from arena.cli.game_view.story import EventTracker, Excerpt, StoryEvent
from arena.cli.game_view.table import TablePrinter
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
from arena.referee.record import ranks

HINT_PREFIX = "hint "
"""Before the seat that a hint names."""


def show_tokens(printer: TablePrinter, events: list[TokensShown]) -> None:
    """The tokens on the table."""
    tasks = events[0].tasks
    printer.print_blank()
    items = [Text(f"{task} ×{tasks.count(task)}") for task in dict.fromkeys(tasks)]
    printer.print_items("tokens", items, gap=3)


def show_token_choice(printer: TablePrinter, events: list[TokenTaken]) -> None:
    """Everybody takes a token in turn."""
    printer.taken_tokens += [printer.choice_text(event.seat, Text(event.task)) for event in events]
    if len(printer.taken_tokens) == printer.labels.seats:
        printer.print_items(" taken", printer.taken_tokens, gap=3)
        printer.taken_tokens = []


def show_columns(printer: TablePrinter, events: list[LaidOut]) -> None:
    """The columns of a round, side by side."""
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
    for line in lines:
        printer.console.print(line, no_wrap=True, overflow="crop")


def show_trumps(printer: TablePrinter, events: list[TrumpsShown]) -> None:
    """The trumps: before the draft to the dealer, after it to all."""
    shown = events[0]
    if shown.to is None:
        printer.print_blank()
    print_trumps(printer, shown)
    if shown.to is None:
        printer.print_hands()


def print_trumps(printer: TablePrinter, shown: TrumpsShown) -> None:
    """The trump colour and the trump number."""
    tint = colour_text(shown.colour) if shown.colour else Text("no colour")
    name = f" {COLOURS[shown.colour]}" if shown.colour else ""
    number = "no number" if shown.number is None else f"number {shown.number}"
    who = "" if shown.to is None else ", shown to the dealer alone"
    printer.print_items("trumps", [Text.assemble(tint, name, " and ", number, (who, "dim"))])


def show_pick(printer: TablePrinter, events: list[Picked]) -> None:
    """A card of a column."""
    size = len(printer.table.columns[0])
    for event in events:
        printer.add_card(
            printer.table.picked_columns + 1, event.seat, event.card, size=size, ending=HINT_PREFIX
        )


def show_hint(printer: TablePrinter, events: list[Hinted]) -> None:
    """Who would win the column as a trick."""
    printer.finish_trick([events[0].seat])


def show_tasks(printer: TablePrinter, events: list[TaskChosen]) -> None:
    """The tasks of the round."""
    printer.print_choices("tasks", {event.seat: Text(event.task) for event in events})


def show_nothing(_printer: TablePrinter, _events: list[Event]) -> None:
    """What the table at the end of the round tells."""


def show_round_start(printer: TablePrinter, events: list[RoundBegan]) -> None:
    """A heading; where there is a dealer, with the tokens that are left."""
    table, seating = printer.table, printer.labels
    if table.dealer is None:
        printer.print_heading(
            printer.round_name(), seating.label(events[0].leader).append(" leads")
        )
        return
    printer.print_heading(printer.round_name(), seating.label(table.dealer).append(" deals"))
    for seat, tokens in enumerate(table.tokens):
        printer.print_seat_items(seat, [*map(Text, tokens)], gap=2)


def show_deal(printer: TablePrinter, _events: list[Dealt]) -> None:
    """The hands."""
    printer.print_hands()


def show_left_over(printer: TablePrinter, events: list[LeftOver]) -> None:
    """Cards that nobody has."""
    printer.print_items("left over", [*map(card_text, events[0].cards)])


def show_designated(printer: TablePrinter, events: list[Designated]) -> None:
    """Designating cards, which may lie face down."""
    what = "designated" if events[0].to is None else "designated, face down"
    printer.print_choices(what, {event.seat: cards_text(event.cards) for event in events})


def show_revealed(printer: TablePrinter, events: list[Revealed]) -> None:
    """Designating cards turned up."""
    printer.print_blank()
    printer.print_facts("turned up", {event.seat: cards_text(event.cards) for event in events})


def show_named(printer: TablePrinter, events: list[Named]) -> None:
    """Colours named after the last trick."""
    printer.print_blank()
    printer.print_choices(
        "special", {event.seat: join_texts(map(colour_text, event.colours)) for event in events}
    )


def show_played(printer: TablePrinter, events: list[Played] | list[Passed]) -> None:
    """A card of a trick, or a pass."""
    for event in events:
        passed = isinstance(event, Passed)
        printer.add_card(printer.table.trick_index + 1, event.seat, event.card, is_pass=passed)


def show_taken(printer: TablePrinter, events: list[Took]) -> None:
    """Who takes the trick; in a double trick there are two."""
    printer.finish_trick([event.seat for event in events])


def show_set_aside(printer: TablePrinter, _events: list[SetAside]) -> None:
    """Nobody takes the trick."""
    printer.finish_trick([])


def show_scores(printer: TablePrinter, events: list[Scored]) -> None:
    """What the round brought."""
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
"""How each kind of event is shown; those that happen together are shown together."""


class GameRenderer:
    """Prints a game; only what one seat sees, or only a part of it, if so asked."""

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
        """Whether the situation before the trick asked for was shown."""

    def show_step(
        self,
        step: Step,
        *,
        notes: Mapping[int, str] | None = None,
        faults: Sequence[Fault] = (),
        wall: Sequence[int] = (),
    ) -> bool:
        """One more step; notes, faults and times are the game's, as far as they are known.

        Where a bot at fault took no time, the referee chose. Says whether anything was shown.
        """
        stage = self.printer
        if self.step is None:
            self.print_title(step)
        self.step, self.faults = step, faults
        said = list(stage.remarks.step_remarks(step, notes or {}, faults, wall))
        told = list(self.tracker.step_events(step))
        if told and self.excerpt.contains(told[0]):
            stage.pending_remarks += said
        for _, group in groupby(told, key=lambda one: type(one.event)):
            self.show_events(list(group))
        if not stage.trick_line and not stage.taken_tokens:
            stage.print_remarks()
        return any(map(self.excerpt.contains, told))

    def show_events(self, group: list[StoryEvent]) -> None:
        """Show events of one kind."""
        happened = [told.event for told in group]
        wanted = self.excerpt.contains(group[0])
        if wanted and self.excerpt.trick is not None and not self.has_shown_situation:
            self.print_situation(self.excerpt.trick)
        if isinstance(happened[0], events.Ended):
            if wanted:
                self.print_result("The end")
            return
        for event in happened:
            self.printer.table.apply(event)
        if wanted:
            RENDERERS[type(happened[0])](self.printer, happened)

    def print_title(self, step: Step) -> None:
        """What is played, and what the signs mean."""
        game, console = step.game, self.printer.console
        self.printer.rounds = game.sizes.rounds
        whose = "" if self.from_seat is None else f", as seat {self.from_seat} sees it"
        words = f" with {game.seats} seats{whose}"
        passes = ", × is a pass" if isinstance(game, HatTrickGame) else ""
        console.print(Text.assemble((game.variant, "bold"), words))
        console.print(Text(f"The first card of a line leads, * takes the trick{passes}.", "dim"))

    def print_situation(self, trick: int) -> None:
        """How things stand as a trick begins."""
        self.has_shown_situation = True
        stage, table = self.printer, self.printer.table
        stage.print_heading(f"{stage.round_name()}, trick {trick + 1}")
        stage.print_hands()
        stage.print_facts(
            "designated", {seat: cards_text(laid) for seat, laid in table.designated_cards.items()}
        )
        if table.trumps:
            print_trumps(stage, table.trumps)
        stage.print_facts("tasks", {seat: Text(task) for seat, task in table.tasks.items()})
        if trick:
            stage.print_blank()

    def print_broken_off(self, faults: Sequence[Fault] = ()) -> None:
        """The game ended before its end."""
        self.faults = faults or self.faults
        self.finish_line()
        self.print_result("Broken off")

    def print_result(self, words: str) -> None:
        """The result of the game."""
        stage = self.printer
        stage.pending_remarks += stage.remarks.final_remarks(self.faults)
        stage.print_remarks()
        if self.step:
            game, state = self.step.game, self.step.after
            found = ranks(game, state, self.faults)
            board = final_table(stage.labels, game.scores(state), found, self.faults)
            stage.print_heading(words)
            stage.console.print(Padding(board, (0, 0, 0, 2), expand=False))

    def finish_line(self) -> None:
        """Finish the line at hand, for somebody who has seen enough."""
        if self.printer.trick_line:
            self.printer.console.print(self.printer.trick_line.text())
            self.printer.trick_line = None
