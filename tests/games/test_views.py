"""A view is all that a seat may know, and nothing more."""

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.games.base import Decision, Game
from arena.games.catalog import VARIANTS, variant
from arena.games.designating import DesignatingView
from arena.games.draft_table import Trumps
from arena.games.drafting import DraftingGame
from arena.games.phases import DELAYED, DESIGNATE, OVER, PICK, PLAY, TASK, TOKEN
from arena.games.replay import steps
from arena.games.seeded import Seeded
from arena.games.trick_table import State
from arena.games.tricks import TrickGame
from tests.games.situations import EVERY_TABLE, at_random


def otherwise(game: Game[Any], state: Any, seat: int, chance: Random) -> Any:
    """The same situation for this seat, with everything it may not know dealt anew."""
    setting = replace(state.round.setting, shuffle=Seeded(chance.getrandbits(64)))
    state = replace(state, round=replace(state.round, setting=setting))
    if isinstance(game, DraftingGame):
        if state.round.phase == PICK and seat != state.round.dealer:
            known = state.round.trumps
            others = [Trumps(c, n) for c in game.colours for n in game.numbers]
            other = chance.choice([trumps for trumps in others if trumps != known])
            state = replace(state, round=replace(state.round, trumps=other))
        return state
    assert isinstance(game, TrickGame)
    return redealt(game, state, seat, chance)


def redealt(game: TrickGame[Any], state: State[Any], seat: int, chance: Random) -> State[Any]:
    """The cards the other seats hold, and designated unseen, change places with each other."""
    others = [other for other in range(game.seats) if other != seat]
    laid = state.round.designated
    hidden = laid and not getattr(game, "open", True)
    pool = [card for other in others for card in game.hand(state, other)]
    pool += [card for other in others for card in laid[other]] if hidden else []
    chance.shuffle(pool)

    def draw(count: int) -> tuple[str, ...]:
        return tuple(pool.pop() for _ in range(count))

    hands, left, designated = list(state.hands), list(state.left), list(laid)
    for other in others:
        place = (other - state.leader) % game.seats
        held = draw(len(game.hand(state, other)))
        if place < len(state.trick):
            left[place], hands[other] = held, (*held, state.trick[place])
        else:
            hands[other] = held
        if hidden:
            designated[other] = draw(len(laid[other]))
    assert not pool
    pending = state.pending
    if state.round.phase in (PLAY, DESIGNATE):
        pending = tuple(Decision(d.seat, d.kind, hands[d.seat]) for d in pending)
    round_ = replace(state.round, designated=tuple(designated))
    return replace(state, round=round_, hands=tuple(hands), left=tuple(left), pending=pending)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_no_leak(name: str, seats: int) -> None:
    """Whatever a seat may not know can change, and its view does not."""
    game, chance = variant(name).game(seats), Random(seats)
    changed = 0
    for step in steps(game, 11 + seats, at_random(chance)):
        state, seat = step.after, chance.randrange(seats)
        other = otherwise(game, state, seat, chance)
        assert game.view(other, seat) == game.view(state, seat)
        changed += any(game.view(other, s) != game.view(state, s) for s in range(seats))
    assert changed > 5, "the test must change something that somebody else does know"


@pytest.mark.parametrize("name", VARIANTS)
def test_perfect_recall(name: str) -> None:
    """Every card played or picked in this round is in the view of every seat, in order."""
    seats = VARIANTS[name].seats[-1]
    game = variant(name).game(seats)
    shown: dict[int, list[str]] = {}
    for step in steps(game, 3, at_random(Random(3))):
        if step.before is not None and step.before.round.phase in (PLAY, PICK):
            shown.setdefault(step.before.round.number, []).extend(step.choices)
        for seat in range(seats):
            view: Any = game.view(step.after, seat)
            public = [card for trick in view.tricks for card in trick.cards] + [*view.trick]
            if isinstance(game, DraftingGame):
                picked = [card for column in view.picks for card in column.cards[:seats]]
                public = picked + public
                assert view.columns == step.after.round.columns
            else:
                assert view.left_over == step.after.round.left_over
            assert public == shown.get(step.after.round.number, [])


def designated_seen(name: str, seats: int) -> tuple[set[bool], set[bool], set[bool]]:
    """Over a whole game: are designating cards public in the tricks, known to their owner, and
    public before the scores are?"""
    game = variant(name).game(seats)
    during: set[bool] = set()
    own: set[bool] = set()
    before_scores: set[bool] = set()
    for step in steps(game, 5, at_random(Random(5))):
        state = step.after
        if state.round.phase == PLAY:
            for seat in range(seats):
                view = game.view(state, seat)
                assert isinstance(view, DesignatingView)
                own.add(view.designated[seat] == state.round.designated[seat])
                during |= {
                    view.designated[other] == state.round.designated[other]
                    for other in range(seats)
                    if other != seat
                }
        kinds = [event.__class__.__name__ for event in step.events() if event.to is None]
        if "Scored" in kinds:
            turned_up = kinds[: kinds.index("Scored")].count("Revealed") == seats
            before_scores.add(turned_up or during == {True})
    return during, own, before_scores


@pytest.mark.parametrize(
    ("name", "seats", "open_during"),
    [
        ("sticheln", 3, True),
        ("sticheln+hazy", 3, False),
        ("sticheln+hazy", 8, False),
        ("sticheln+aggravated+hazy", 4, False),
        ("stick-em+hazy", 6, False),
    ],
)
def test_visibility_of_designating_cards(name: str, seats: int, open_during: bool) -> None:
    assert designated_seen(name, seats) == ({open_during}, {True}, {True})


def test_trumps_are_the_dealers_secret_during_the_draft() -> None:
    game = variant("was-sticht").game(4)
    for step in steps(game, 5, at_random(Random(5))):
        round_ = step.after.round
        for seat in range(4):
            trumps = game.view(step.after, seat).trumps  # type: ignore[attr-defined]
            if round_.phase in (TOKEN, OVER) or (round_.phase == PICK and seat != round_.dealer):
                assert trumps is None
            else:
                assert trumps == round_.trumps


def test_tasks_are_shown_when_all_have_chosen() -> None:
    game = variant("was-sticht").game(3)
    for step in steps(game, 6, at_random(Random(6))):
        for seat in range(3):
            tasks = game.view(step.after, seat).tasks  # type: ignore[attr-defined]
            if step.after.round.phase in (PICK, TASK):
                assert tasks == ()
            if step.after.round.phase == PLAY:
                assert tasks[step.after.round.dealer] is None
                assert sum(task is not None for task in tasks) == 2


@pytest.mark.parametrize("name", VARIANTS)
def test_the_round_before_is_shown_until_the_first_trick_is_complete(name: str) -> None:
    """So that what was turned up at its very end is never missed."""
    seats = VARIANTS[name].seats[0]
    game = variant(name).game(seats)
    for step in steps(game, 9, at_random(Random(9))):
        state = step.after
        view: Any = game.view(state, 0)
        begun = state.picks if isinstance(game, DraftingGame) else state.tricks
        assert view.previous == (None if begun else state.round.past)
        if view.previous is not None and state.round.phase == DESIGNATE:
            assert len(view.previous.designated) == seats
        if view.previous is not None and DELAYED in getattr(game, "phases", ()):
            assert len(view.previous.special) == seats


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_views_are_json(name: str, seats: int) -> None:
    """A view can be sent and read back as it was."""
    game = variant(name).game(seats)
    for at, step in enumerate(steps(game, 1, at_random(Random(1)))):
        if at % 17 == 0:
            view = game.view(step.after, at % seats)
            again = msgspec.json.decode(msgspec.json.encode(view), type=type(view))
            assert again == view
