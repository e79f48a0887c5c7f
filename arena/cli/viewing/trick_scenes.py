"""How the events of rounds and tricks are shown."""

from rich.padding import Padding
from rich.text import Text

from arena.cli.viewing.faces import card, cards, colour, joined
from arena.cli.viewing.scoreboard import round_scores
from arena.cli.viewing.stage import Stage
from arena.games.events import (
    Dealt,
    Designated,
    LeftOver,
    Named,
    Passed,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    SetAside,
    Took,
)


def round_began(stage: Stage, events: list[RoundBegan]) -> None:
    """A heading; where there is a dealer, with the tokens that are left."""
    table, seating = stage.table, stage.seating
    if table.dealer is None:
        stage.heading(stage.round_name(), seating.label(events[0].leader).append(" leads"))
        return
    stage.heading(stage.round_name(), seating.label(table.dealer).append(" deals"))
    for seat, tokens in enumerate(table.tokens):
        stage.own(seat, [*map(Text, tokens)], gap=2)


def dealt(stage: Stage, _events: list[Dealt]) -> None:
    """The hands."""
    stage.hands()


def left_over(stage: Stage, events: list[LeftOver]) -> None:
    """Cards that nobody has."""
    stage.flow("left over", [*map(card, events[0].cards)])


def designated(stage: Stage, events: list[Designated]) -> None:
    """Designating cards, which may lie face down."""
    what = "designated" if events[0].to is None else "designated, face down"
    stage.choices(what, {event.seat: cards(event.cards) for event in events})


def revealed(stage: Stage, events: list[Revealed]) -> None:
    """Designating cards turned up."""
    stage.blank()
    stage.facts("turned up", {event.seat: cards(event.cards) for event in events})


def named(stage: Stage, events: list[Named]) -> None:
    """Colours named after the last trick."""
    stage.blank()
    stage.choices("special", {event.seat: joined(map(colour, event.colours)) for event in events})


def played(stage: Stage, events: list[Played] | list[Passed]) -> None:
    """A card of a trick, or a pass."""
    for event in events:
        passed = isinstance(event, Passed)
        stage.lay(stage.table.trick + 1, event.seat, event.card, passed=passed)


def took(stage: Stage, events: list[Took]) -> None:
    """Who takes the trick; in a double trick there are two."""
    stage.take([event.seat for event in events])


def set_aside(stage: Stage, _events: list[SetAside]) -> None:
    """Nobody takes the trick."""
    stage.take([])


def scored(stage: Stage, events: list[Scored]) -> None:
    """What the round brought."""
    stage.remark()
    stage.blank()
    board = round_scores(stage.seating, stage.table, events[0])
    stage.console.print(Padding(board, (0, 0, 0, 2), expand=False))
