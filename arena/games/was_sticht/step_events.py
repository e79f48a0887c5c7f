"""The events of Was sticht from one state to the next."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.games.base import DISCARD, OVER, PICK, PLAY, TASK, TOKEN
from arena.games.events import (
    Discarded,
    Ended,
    Event,
    Hinted,
    LaidOut,
    Picked,
    Played,
    RoundBegan,
    Scored,
    TaskChosen,
    TaskJudged,
    TokenTaken,
    TrumpsShown,
)
from arena.games.tricks import trick_result_event
from arena.games.was_sticht.state import Column, DraftState

if TYPE_CHECKING:
    from arena.games.was_sticht.engine import WasStichtGame


def step_events(
    game: "WasStichtGame", before: DraftState, choices: Sequence[str], after: DraftState
) -> Iterator[Event]:
    """The events of a step, in the order they happen."""
    phase = before.round.phase
    for decision, choice in zip(before.pending, choices, strict=True):
        yield CHOICE_EVENTS[phase](decision.seat, choice)
    if phase == PICK and not after.trick:
        yield from column_events(game, after.picks[-1])
    if phase == PICK and after.round.phase == TASK:
        yield trumps_event(after)
    if phase == PLAY and not after.trick:
        yield from trick_events(game, before, after)
    if after.round.number != before.round.number and after.round.past is not None:
        points = tuple(int(task is not None) for task in after.round.past.discards)
        yield Scored(points, game.scores(after))
    if after.round.phase == OVER:
        yield Ended(game.scores(after), game.ranks(after))
    elif after.round.columns != before.round.columns:
        yield from deal_events(game, after)


CHOICE_EVENTS = {
    TOKEN: TokenTaken,
    PICK: Picked,
    TASK: TaskChosen,
    PLAY: Played,
    DISCARD: Discarded,
}
"""What it is called when a decision of this kind is answered."""


def deal_events(game: "WasStichtGame", state: DraftState) -> Iterator[Event]:
    """A round begins: the cards lie open, and the dealer looks at the trumps."""
    yield RoundBegan(state.round.number, (state.round.dealer + 1) % len(state.hands))
    yield LaidOut(state.round.columns)
    seats = range(game.seats)
    to = tuple(seat for seat in seats if game.rules.secret(state.round.dealer, seat))
    yield trumps_event(state, None if len(to) == game.seats else to)


def trumps_event(state: DraftState, to: tuple[int, ...] | None = None) -> Event:
    """The trumps are shown to everybody, or to these seats only."""
    trumps = state.round.trumps
    return TrumpsShown(trumps.colour, trumps.number, to=to)


def column_events(game: "WasStichtGame", column: Column) -> Iterator[Event]:
    """The ghost gets what is left of a column, and the dealer gives a hint."""
    for card in column.cards[game.seats :]:
        yield Picked(game.seats, card)
    yield Hinted(column.hint)


def trick_events(game: "WasStichtGame", before: DraftState, after: DraftState) -> Iterator[Event]:
    """A trick is taken; after the last one the tasks are judged and discarded."""
    if len(after.tricks) == len(before.tricks) + 1 and after.round.phase == PLAY:
        yield trick_result_event(after.tricks[-1])
        return
    past = after.round.past
    tricks = after.tricks or (past.tricks if past else ())
    yield trick_result_event(tricks[-1])
    tally, dealer = game.tally_tricks(tricks), before.round.dealer
    judged = [
        TaskJudged(
            seat,
            task,
            game.rules.fulfilled(task, seat, tally),
            game.rules.fulfilled(task, dealer, tally),
        )
        for seat, task in enumerate(before.round.tasks)
        if task is not None
    ]
    yield from judged
    yield from (Discarded(event.seat, event.task) for event in judged if event.fulfilled)
