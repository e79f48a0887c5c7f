"""Events tell a whole game, each to those who may see it."""

from functools import reduce
from operator import or_
from random import Random
from typing import Any

import msgspec
import pytest

from arena.games import events
from arena.games.base import DISCARD
from arena.games.catalog import VARIANTS, variant
from arena.games.events import (
    Dealt,
    Designated,
    Discarded,
    Ended,
    Event,
    Hinted,
    Named,
    Passed,
    Picked,
    Played,
    Revealed,
    RoundBegan,
    Scored,
    SetAside,
    TaskChosen,
    TaskJudged,
    TokenTaken,
    Took,
    TrumpsShown,
)
from arena.games.replay import play_steps
from arena.games.was_sticht.engine import WasStichtGame
from tests.games.game_states import TABLES, random_chooser

KINDS = [
    kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
]


def all_events(name: str, seats: int, seed: int = 4) -> list[Event]:
    game = variant(name).game(seats)
    return [
        event
        for step in play_steps(game, seed, random_chooser(Random(seed)))
        for event in step.events()
    ]


def of(kind: type[Any], story: list[Event]) -> list[Any]:
    return [event for event in story if isinstance(event, kind)]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_the_story_adds_up(name: str, seats: int) -> None:
    """Every choice is an event once; what was taken was played; points add up to the scores."""
    game = variant(name).game(seats)
    story: list[Event] = []
    rounds = 0
    for step in play_steps(game, 4, random_chooser(Random(4))):
        happened = list(step.events())
        choice_events = of(Played, happened) + of(Passed, happened) + of(Designated, happened)
        choice_events += of(Named, happened) + of(TokenTaken, happened) + of(TaskChosen, happened)
        choice_events += [event for event in of(Picked, happened) if event.seat < seats]
        if step.before is not None and step.before.round.phase == DISCARD:
            choice_events = happened[:1]
            assert choice_events == [Discarded(step.before.round.dealer, step.choices[0])]
        assert len(choice_events) == len(step.choices)
        rounds += len(of(Scored, happened))
        story += happened
    last = step.after
    laid = [event.card for event in of(Played, story)]
    gone = [card for event in of(Took, story) + of(SetAside, story) for card in event.cards]
    assert sorted(laid) == sorted(gone)
    assert rounds == game.rounds_played(last) == len(of(RoundBegan, story))
    totals = [sum(points) for points in zip(*(e.points for e in of(Scored, story)), strict=True)]
    assert tuple(totals) == game.scores(last)
    assert of(Ended, story) == [Ended(game.scores(last), game.ranks(last))]
    assert isinstance(story[-1], Ended)


@pytest.mark.parametrize("name", VARIANTS)
def test_hands_are_seen_by_their_owner(name: str) -> None:
    seats = VARIANTS[name].seats[0]
    story = all_events(name, seats)
    for event in of(Dealt, story):
        assert event.to == (event.seat,)
        assert [seat for seat in range(seats) if event.is_visible_to(seat)] == [event.seat]
    hidden = "hazy" in name
    for event in of(Designated, story):
        assert event.to == ((event.seat,) if hidden else None)
    laid = [(event.seat, event.cards) for event in of(Designated, story)]
    shown = [(event.seat, event.cards) for event in of(Revealed, story)]
    assert shown == (laid if hidden else [])


def test_only_the_dealer_sees_the_trumps_before_the_draft() -> None:
    for seats in (3, 4):
        story = all_events("was-sticht", seats)
        shown = of(TrumpsShown, story)
        for number, (first, second) in enumerate(zip(shown[::2], shown[1::2], strict=True)):
            assert first.to == (number % seats,)
            assert second.to is None
            assert (first.colour, first.number) == (second.colour, second.number)
        assert len(of(Hinted, story)) == 9 * len(of(Scored, story))
        ghosts = [event for event in of(Picked, story) if event.seat == seats]
        assert len(ghosts) == (9 * len(of(Scored, story)) if seats == 3 else 0)


@pytest.mark.parametrize("seats", [3, 4])
def test_tasks_are_judged(seats: int) -> None:
    """As the tricks say: by their owner, and by the dealer; a token goes for every point."""
    game = variant("was-sticht").game(seats)
    assert isinstance(game, WasStichtGame)
    for step in play_steps(game, 4, random_chooser(Random(4))):
        happened = list(step.events())
        judged = of(TaskJudged, happened)
        if not judged:
            continue
        tricks = step.after.tricks or step.after.round.past.tricks
        won, dealer = game.tally_tricks(tricks), step.before.round.dealer
        for event in judged:
            assert event.task == step.before.round.tasks[event.seat]
            assert event.fulfilled == game.rules.fulfilled(event.task, event.seat, won)
            assert event.by_dealer == game.rules.fulfilled(event.task, dealer, won)
        assert [event.seat for event in judged] == [s for s in range(seats) if s != dealer]
        rid = [(event.seat, event.task) for event in of(Discarded, happened)]
        assert rid == [(event.seat, event.task) for event in judged if event.fulfilled]
    story = all_events("was-sticht", seats)
    points = sum(sum(event.points) for event in of(Scored, story))
    assert len(of(Discarded, story)) == points


def test_a_round_begins_with_its_cards() -> None:
    story = all_events("sticheln", 7)
    kinds = [type(event).__name__ for event in story[:17]]
    assert kinds == ["RoundBegan", *["Dealt"] * 7, "LeftOver", *["Designated"] * 7, "Played"]


def test_stick_em_sets_zeros_aside() -> None:
    """With three players a trick of zeros turns up in one random game out of a hundred or so."""
    found = [
        event for seed in range(400) for event in of(SetAside, all_events("stick-em", 3, seed))
    ]
    assert found
    assert all(card[1:] == "0" for event in found for card in event.cards)


def test_an_event_is_a_line_of_json() -> None:
    decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(reduce(or_, KINDS))
    for name in ("sticheln+aggravated+hazy", "sticheln+delayed", "hat-trick", "was-sticht"):
        for event in all_events(name, VARIANTS[name].seats[0]):
            line = msgspec.json.encode(event)
            assert b"\n" not in line
            assert decoder.decode(line) == event
    assert msgspec.json.encode(Played(2, "R7")) == b'{"event":"played","seat":2,"card":"R7"}'
    dealt = msgspec.json.encode(Dealt(1, ("R7",), to=(1,)))
    assert dealt == b'{"event":"dealt","seat":1,"cards":["R7"],"to":[1]}'
