"""How the events of Was sticht are shown: tokens, columns, trumps, tasks."""

from rich.text import Text

from arena.cards import COLOURS
from arena.cli.viewing.faces import card, colour
from arena.cli.viewing.stage import Stage
from arena.games.events import (
    Event,
    Hinted,
    LaidOut,
    Picked,
    TaskChosen,
    TokensShown,
    TokenTaken,
    TrumpsShown,
)

HINT = "hint "
"""Before the seat that a hint names."""


def tokens_shown(stage: Stage, events: list[TokensShown]) -> None:
    """The tokens on the table."""
    tasks = events[0].tasks
    stage.blank()
    items = [Text(f"{task} ×{tasks.count(task)}") for task in dict.fromkeys(tasks)]
    stage.flow("tokens", items, gap=3)


def token_taken(stage: Stage, events: list[TokenTaken]) -> None:
    """Everybody takes a token in turn."""
    stage.taken += [stage.chosen(event.seat, Text(event.task)) for event in events]
    if len(stage.taken) == stage.seating.seats:
        stage.flow(" taken", stage.taken, gap=3)
        stage.taken = []


def laid_out(stage: Stage, events: list[LaidOut]) -> None:
    """The columns of a round, side by side."""
    columns = events[0].columns
    numbers = "".join(f"{number + 1:<4}" for number in range(len(columns)))
    stage.blank()
    lines = [Text(f"  columns  {numbers}".rstrip(), "dim")]
    for row in zip(*columns, strict=True):
        line = Text(" " * 11)
        for token in row:
            line.append_text(card(token)).append(" " * (4 - len(token)))
        line.rstrip()
        lines.append(line)
    for line in lines:
        stage.console.print(line, no_wrap=True, overflow="crop")


def trumps_shown(stage: Stage, events: list[TrumpsShown]) -> None:
    """The trumps: before the draft to the dealer, after it to all."""
    shown = events[0]
    if shown.to is None:
        stage.blank()
    trumps(stage, shown)
    if shown.to is None:
        stage.hands()


def trumps(stage: Stage, shown: TrumpsShown) -> None:
    """The trump colour and the trump number."""
    tint = colour(shown.colour) if shown.colour else Text("no colour")
    name = f" {COLOURS[shown.colour]}" if shown.colour else ""
    number = "no number" if shown.number is None else f"number {shown.number}"
    who = "" if shown.to is None else ", shown to the dealer alone"
    stage.flow("trumps", [Text.assemble(tint, name, " and ", number, (who, "dim"))])


def picked(stage: Stage, events: list[Picked]) -> None:
    """A card of a column."""
    size = len(stage.table.columns[0])
    for event in events:
        stage.lay(stage.table.picked + 1, event.seat, event.card, size=size, ending=HINT)


def hinted(stage: Stage, events: list[Hinted]) -> None:
    """Who would win the column as a trick."""
    stage.take([events[0].seat])


def task_chosen(stage: Stage, events: list[TaskChosen]) -> None:
    """The tasks of the round."""
    stage.choices("tasks", {event.seat: Text(event.task) for event in events})


def in_the_scores(_stage: Stage, _events: list[Event]) -> None:
    """What the table at the end of the round tells."""
