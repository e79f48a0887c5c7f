"""A sampled state is one that a seat cannot distinguish from the true one."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from arena.games.base import OVER, PICK, Game
from arena.games.catalog import VARIANTS
from arena.games.determinize import parse_view, possible_trumps, sample_state, unseen_cards
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.was_sticht.engine import WasStichtGame
from tests.games.game_states import SEEDS, limit_examples, random_chooser

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", VARIANTS)
@limit_examples(40)
@given(seed=SEEDS)
def test_a_seat_cannot_distinguish_a_sampled_state_from_the_true_one(name: str, seed: int) -> None:
    """It sees the same, is asked the same, and every card is somewhere, at every step."""
    chance = Random(seed)
    seats = chance.choice(VARIANTS[name].seats)
    game = VARIANTS[name].game(seats)
    for step in play_steps(game, seed, random_chooser(chance), seed % seats):
        true, seat = step.after, chance.randrange(seats)
        view = game.view(true, seat)
        sampled = sample_state(game, view, SeededShuffle(chance.getrandbits(32)))
        assert game.view(sampled, seat) == view
        assert sorted(cards_in(sampled)) == sorted(cards_in(true))
        assert sizes(sampled) == sizes(true)
        assert [d.seat for d in sampled.pending] == [d.seat for d in true.pending]
        assert find_questions(sampled, seat) == find_questions(true, seat)
        if isinstance(game, WasStichtGame):
            same_round(game, sampled, true, view)


def cards_in(state: Any) -> list[str]:
    """Every card of a round, wherever it lies, but for a draft's columns."""
    laid = getattr(state.round, "designated", ())
    won = [trick.cards for trick in state.tricks]
    left_over = getattr(state.round, "left_over", ())
    return [card for cards in (*state.hands, *laid, *won, left_over) for card in cards]


def sizes(state: Any) -> list[list[int]]:
    """How many cards everybody holds, has left and has designated, of how many colours."""
    special = getattr(state.round, "special", ())
    laid = getattr(state.round, "designated", ())
    return [[*map(len, cards)] for cards in (state.hands, state.left, laid, special)]


def find_questions(state: Any, seat: int) -> list[Any]:
    """What this seat is asked."""
    return [decision for decision in state.pending if decision.seat == seat]


def same_round(game: WasStichtGame, sampled: Any, true: Any, view: Any) -> None:
    """All is public in Was sticht but the trumps, and these may be the true ones."""
    assert sampled.round.discards == true.round.discards
    if sampled.round.phase == PICK:
        assert true.round.trumps in possible_trumps(game, view)
        assert sampled.round.trumps in possible_trumps(game, view)


@pytest.mark.parametrize("name", VARIANTS)
@limit_examples(40)
@given(seed=SEEDS)
def test_a_sampled_state_is_played_on(name: str, seed: int) -> None:
    """From any question, in the view that its JSON holds, the game goes on to its end."""
    chance = Random(seed)
    choose = random_chooser(chance)
    game = VARIANTS[name].game(chance.choice(VARIANTS[name].seats))
    questions = [step.after for step in play_steps(game, seed, choose) if step.after.pending]
    true = chance.choice(questions)
    state = sample_state(
        game, sent_view(game, true, chance.choice(true.pending).seat), SeededShuffle(seed)
    )
    while state.pending:
        state = game.apply(state, choose(state, state.pending))
    assert state.round.phase == OVER
    assert len(game.scores(state)) == game.seats


def sent_view(game: Game[Any], state: Any, seat: int) -> Any:
    """A view as it arrives with a question."""
    return parse_view(game, msgspec.json.decode(msgspec.json.encode(game.view(state, seat))))


def test_hidden_cards_can_be_anywhere() -> None:
    """In some sampled states every unseen card is in every other hand, and face down."""
    game = VARIANTS["sticheln+hazy"].game(3)
    state = game.start(SeededShuffle(1))
    state = game.apply(state, [decision.options[0] for decision in state.pending])
    view: Any = game.view(state, 0)
    samples = [sample_state(game, view, SeededShuffle(seed)) for seed in range(600)]
    cards = set(unseen_cards(game, view))  # type: ignore[arg-type] # it is a TrickGame
    assert len(cards) == 30
    for seat in (1, 2):
        assert {card for sampled in samples for card in sampled.hands[seat]} == cards
        assert {card for sampled in samples for card in sampled.round.designated[seat]} == cards


def test_pairs_are_found_where_few_are_left() -> None:
    """Where nothing but designating cards is unseen, there may be one way only to pair them."""
    game = VARIANTS["sticheln+aggravated+hazy"].game(4)
    state = game.start(SeededShuffle(1))
    view: Any = game.view(game.apply(state, [d.options[0] for d in state.pending]), 0)
    hidden = ("R1", "R2", "R3", "B1", "B2", "Y1")
    known = tuple(card for card in game.cards if card not in hidden)
    laid = (("G0", "N0"), None, None, None)
    last = msgspec.structs.replace(view, hand=(), left_over=known, designated=laid)
    for seed in range(50):
        _, *others = sample_state(game, last, SeededShuffle(seed)).round.special
        assert sorted(others) == [("B", "R"), ("B", "R"), ("R", "Y")]
