"""Every event has the round and the trick it belongs to."""

import json

import pytest

from arena.cli.game_view.event_tracker import EventTracker, Excerpt, LocatedEvent
from arena.games.events import Designated, Passed, Played, Scored, SetAside, Took
from arena.games.replay import replay_game
from tests.cli.records import random_record

TABLES = [
    ("sticheln+mild+hazy", 4),
    ("stick-em+delayed", 5),
    ("hat-trick", 4),
    ("was-sticht", 3),
]


def story_of(name: str, seats: int, from_seat: int | None = None) -> list[LocatedEvent]:
    story = EventTracker(from_seat)
    return [
        one for step in replay_game(random_record(name, seats)) for one in story.step_events(step)
    ]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_places(name: str, seats: int) -> None:
    steps = list(replay_game(random_record(name, seats)))
    tricks = steps[0].game.sizes.tricks
    ones = story_of(name, seats)
    rounds = max(one.round for one in ones if one.round is not None) + 1
    for round_ in range(rounds):
        for trick in range(tricks):
            here = [one.event for one in ones if (one.round, one.trick) == (round_, trick)]
            cards = [event.card for event in here if isinstance(event, Played | Passed)]
            taken = [event for event in here if isinstance(event, Took | SetAside)]
            assert len(cards) == seats
            assert {card for event in taken for card in event.cards} <= set(cards)
            assert len(here) == seats + len(taken)
        assert sum(isinstance(o.event, Scored) and o.round == round_ for o in ones) == 1
    assert [one.step for one in ones] == sorted(one.step for one in ones)
    assert ones[-1].step == len(steps) - 1
    assert ones[-1].round is None


def test_a_seat_sees_only_its_own_secrets() -> None:
    seen = story_of("sticheln+mild+hazy", 4, from_seat=2)
    assert {one.event.seat for one in seen if isinstance(one.event, Designated)} == {2}
    whole = story_of("sticheln+mild+hazy", 4)
    assert seen == [one for one in whole if one.event.is_visible_to(2)]


def test_a_line() -> None:
    line = json.loads(story_of("sticheln", 3)[0].to_json())
    assert line == {"step": 0, "round": 0, "trick": None, "event": "round-began", "leader": 0}
    played = LocatedEvent(5, 0, 1, Played(seat=2, card="R7"))
    assert (
        played.to_json() == b'{"step":5,"round":0,"trick":1,"event":"played","seat":2,"card":"R7"}'
    )


@pytest.mark.parametrize(
    ("excerpt", "holds"),
    [
        (Excerpt(), [True] * 4),
        (Excerpt(1), [False, True, True, False]),
        (Excerpt(1, 0), [False, False, True, False]),
        (Excerpt(1, 3), [False] * 4),
    ],
)
def test_excerpts(excerpt: Excerpt, holds: list[bool]) -> None:
    event = Played(seat=0, card="R7")
    places = [(0, 0), (1, None), (1, 0), (None, None)]
    assert [excerpt.contains(LocatedEvent(0, *place, event)) for place in places] == holds
