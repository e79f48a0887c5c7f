"""A view is all that a seat may know, and nothing more."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from arena.games.base import DELAYED, DESIGNATE, OVER, PICK, PLAY, TASK, TOKEN, Decision, Game
from arena.games.catalog import VARIANTS, variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.sticheln_engine import DesignatingView
from arena.games.trick_state import State
from arena.games.tricks import TrickGame
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.state import Trumps
from tests.games.game_states import SEEDS, TABLES, limit_examples, random_chooser
from tests.games.view_from_events import Witness


def otherwise(game: Game[Any], state: Any, seat: int, chance: Random) -> Any:
    """The same situation for this seat, with everything it may not know dealt anew."""
    setting = replace(state.round.setting, shuffle=SeededShuffle(chance.getrandbits(64)))
    state = replace(state, round=replace(state.round, setting=setting))
    if isinstance(game, WasStichtGame):
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
    special = tuple(tuple(dict.fromkeys(card[0] for card in own)) for own in designated)
    round_ = replace(
        state.round, designated=tuple(designated), special=special or state.round.special
    )
    return replace(state, round=round_, hands=tuple(hands), left=tuple(left), pending=pending)


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_no_leak(name: str, seats: int, seed: int) -> None:
    """Whatever a seat may not know can change, and its view does not."""
    game, chance = variant(name).game(seats), Random(seed)
    changed = 0
    for step in play_steps(game, seed, random_chooser(chance), seed % seats):
        state, seat = step.after, chance.randrange(seats)
        other = otherwise(game, state, seat, chance)
        for viewer in range(seats):
            same = game.view(other, viewer) == game.view(state, viewer)
            assert same or viewer != seat
            changed += not same
    assert changed > 5, "the test must change something that somebody else does know"


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_a_view_is_what_the_seat_has_seen(name: str, seats: int, seed: int) -> None:
    """What a seat has seen in events, put together, is its view: no more, no less."""
    game = variant(name).game(seats)
    witnesses = [Witness(seats, seat) for seat in range(seats)]
    for step in play_steps(game, seed, random_chooser(Random(seed)), seed % seats):
        happened = list(step.events())
        for witness in witnesses:
            for event in happened:
                if event.is_visible_to(witness.seat):
                    witness.see(event)
            compare(game, step.after, witness)


def compare(game: Game[Any], state: Any, seen: Witness) -> None:
    view: Any = game.view(state, seen.seat)
    assert view.seat == seen.seat
    assert view.round == seen.round
    assert view.phase == (state.pending[0].kind if state.pending else OVER)
    assert view.hand == seen.hand(seen.seat)
    table = seen.column if view.phase == PICK else seen.trick
    assert view.trick == tuple(card for _, card in table)
    if table:
        assert view.leader == table[0][0]
    elif view.phase in (PLAY, PICK):
        assert view.leader == state.pending[0].seat
    same_tricks(view.tricks, seen.done())
    if isinstance(game, WasStichtGame):
        compare_draft(view, seen)
    else:
        assert view.scores == seen.scores
        assert view.left_over == seen.left_over
        laid = [seen.designated.get(seat) for seat in range(game.seats)]
        assert view.designated == (() if view.phase == DESIGNATE or not any(laid) else tuple(laid))
    if view.tricks or (isinstance(game, WasStichtGame) and view.picks):
        assert view.previous is None
    elif seen.previous is not None:
        for field in view.previous.__struct_fields__:
            seen_before, shown = seen.previous[field], getattr(view.previous, field)
            if field == "tricks":
                same_tricks(shown, seen_before)
            elif field == "trumps":
                assert (shown.colour, shown.number) == seen_before
            else:
                assert shown == tuple(seen_before)
    else:
        assert view.previous is None


def compare_draft(view: Any, seen: Witness) -> None:
    assert view.dealer == seen.dealer
    assert view.scores == tuple(map(len, seen.discarded))
    assert view.supply == tuple(seen.supply)
    assert [sorted(held) for held in view.tokens] == [sorted(held) for held in seen.tokens]
    assert view.discarded == tuple(map(tuple, seen.discarded))
    assert view.columns == seen.columns
    assert view.hands == tuple(seen.hand(seat) for seat in range(seen.seats))
    picks = [(pick["leader"], tuple(pick["cards"]), pick["hint"]) for pick in seen.picks]
    assert [(column.leader, column.cards, column.hint) for column in view.picks] == picks
    known = None if view.trumps is None else (view.trumps.colour, view.trumps.number)
    assert known == seen.trumps
    tasks = tuple(seen.tasks.get(seat) for seat in range(seen.seats))
    assert view.tasks == (tasks if seen.tasks else ())


def same_tricks(shown: Any, remembered: list[dict[str, Any]]) -> None:
    assert [(trick.leader, trick.cards) for trick in shown] == [
        (trick["leader"], tuple(trick["cards"])) for trick in remembered
    ]
    for trick, memory in zip(shown, remembered, strict=True):
        if hasattr(trick, "winner"):
            assert {trick.winner} == set(memory["takers"])
        else:
            assert trick.takers == tuple(memory["takers"])


@pytest.mark.parametrize(("name", "seats"), TABLES)
@limit_examples(8)
@given(seed=SEEDS)
def test_a_seat_is_asked_about_what_it_sees(name: str, seats: int, seed: int) -> None:
    """Options are in the hand, the column, the own tokens or the colours won, as the seat sees."""
    game = variant(name).game(seats)
    for step in play_steps(game, seed, random_chooser(Random(seed))):
        for decision in step.after.pending:
            view: Any = game.view(step.after, decision.seat)
            if decision.kind == PLAY:
                assert set(decision.options) <= set(view.hand)
            elif decision.kind == DESIGNATE:
                assert {c for o in decision.options for c in o.split("+")} <= set(view.hand)
            elif decision.kind == DELAYED:
                mine = [trick for trick in view.tricks if trick.winner == decision.seat]
                colours = {card[0] for trick in mine for card in trick.cards}
                assert {c for option in decision.options for c in option.split("+")} == colours
            elif decision.kind == PICK:
                column = view.columns[len(view.picks)]
                assert set(decision.options) == set(column) - set(view.trick)
            elif decision.kind == TOKEN:
                assert set(decision.options) == set(view.supply)
            else:
                assert set(decision.options) == set(view.tokens[decision.seat])


def designated_seen(name: str, seats: int) -> tuple[set[bool], set[bool], set[bool]]:
    """Over a whole game: are designating cards public in the tricks, known to their owner, and
    public before the scores are?"""
    game = variant(name).game(seats)
    during: set[bool] = set()
    own: set[bool] = set()
    before_scores: set[bool] = set()
    for step in play_steps(game, 5, random_chooser(Random(5))):
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


@pytest.mark.parametrize("seats", [3, 4])
def test_trumps_are_the_dealers_secret_during_the_draft(seats: int) -> None:
    game = variant("was-sticht").game(seats)
    for step in play_steps(game, 5, random_chooser(Random(5))):
        round_ = step.after.round
        for seat in range(seats):
            view: Any = game.view(step.after, seat)
            hidden = round_.phase == PICK and seat != round_.dealer
            if hidden or round_.phase in (TOKEN, OVER):
                assert view.trumps is None
            else:
                assert view.trumps == round_.trumps


@pytest.mark.parametrize("seats", [3, 4])
def test_tasks_are_shown_when_all_have_chosen(seats: int) -> None:
    game = variant("was-sticht").game(seats)
    for step in play_steps(game, 6, random_chooser(Random(6))):
        for seat in range(seats):
            view: Any = game.view(step.after, seat)
            tasks = view.tasks
            if step.after.round.phase in (PICK, TASK):
                assert tasks == ()
            if step.after.round.phase == PLAY:
                assert tasks[step.after.round.dealer] is None
                assert sum(task is not None for task in tasks) == seats - 1


@pytest.mark.parametrize("name", VARIANTS)
def test_views_are_json(name: str) -> None:
    """A view can be sent and read back as it was."""
    for seats in VARIANTS[name].seats:
        game = variant(name).game(seats)
        for at, step in enumerate(play_steps(game, 1, random_chooser(Random(1)))):
            if at % 17 == 0:
                view = game.view(step.after, at % seats)
                again = msgspec.json.decode(msgspec.json.encode(view), type=type(view))
                assert again == view
