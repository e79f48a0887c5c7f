"""The champion's core plays Was sticht by the rules, the same way again, and in no time."""

import ctypes
import importlib
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from arena.games.base import DISCARD, PLAY, TASK, Decision
from arena.games.catalog import variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.state import DraftState
from tests.reference.conftest import FindBot

pytestmark = pytest.mark.slow

GAMES = 10
TRIALS = 5
"""How often a choice is timed that takes long: a busy machine adds to its CPU time."""
Question = dict[str, Any]
SEATS = pytest.mark.parametrize("seats", [3, 4])


@pytest.fixture(scope="module")
def draft(find_bot: FindBot) -> Iterator[Any]:
    """The bot's own module, with its compiled core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(find_bot("champion").folder)
        for name in ("core", "draft"):
            patch.delitem(sys.modules, name, raising=False)
        yield importlib.import_module("draft")
        for name in ("core", "draft"):
            sys.modules.pop(name, None)


def table(seats: int) -> WasStichtGame:
    game = variant("was-sticht").game(seats)
    assert isinstance(game, WasStichtGame)
    return game


def view(game: WasStichtGame, state: DraftState, seat: int) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(game.view(state, seat)))
    return found


def states(game: WasStichtGame, seed: int) -> Iterator[DraftState]:
    """A game by chance, state by state."""
    chance = Random(seed)
    state = game.start(SeededShuffle(seed))
    while decisions := game.pending(state):
        yield state
        state = game.apply(state, [chance.choice(decision.options) for decision in decisions])


def questions(game: WasStichtGame, seed: int, every: int) -> Iterator[Question]:
    """Questions out of a game by chance, those of a round and a bit."""
    for number, state in enumerate(states(game, seed)):
        decision = game.pending(state)[0]
        if number % every == 0 and len(decision.options) > 1:
            yield {
                "kind": decision.kind,
                "options": list(decision.options),
                "view": view(game, state, decision.seat),
                "clock": {"move": 1.0, "bank": 5.0},
            }
        if number > 120:
            return


@SEATS
def test_the_core_plays_by_the_rules(draft: Any, seats: int) -> None:
    game, chance, begun = table(seats), Random(seats), dict[str, Any]()

    def choose(_state: DraftState, decisions: tuple[Decision, ...]) -> list[str]:
        return [chance.choice(decision.options) for decision in decisions]

    for seed in range(GAMES):
        for step in play_steps(game, seed, choose):
            after: DraftState = step.after
            if step.before and step.before.round.phase == TASK:
                begun = view(game, after, after.leader)
            if step.before and step.before.round.phase == PLAY and after.round.phase != PLAY:
                past = after.round.past if after.round.phase != DISCARD else None
                tricks = past.tricks if past else after.tricks
                discards = past.discards if past else after.round.discards
                expected = {seat for seat, task in enumerate(discards) if task}
                if not past:
                    expected.add(begun["dealer"])
                cards = [card for trick in tricks for card in trick.cards]
                assert replayed(draft, begun, cards) == (
                    [trick.winner for trick in tricks],
                    expected,
                )


def replayed(draft: Any, begun: dict[str, Any], cards: list[str]) -> tuple[list[int], set[int]]:
    """Who wins the tricks and who discards a token, as the core sees it."""
    winners, gone = (ctypes.c_int64 * 9)(), ctypes.c_int64()
    played = (ctypes.c_int64 * len(cards))(*(draft.CARDS[card] for card in cards))
    numbers = draft.Numbers(*draft.numbers("play", begun))
    draft.LIBRARY.draft_replay(numbers, played, len(cards), winners, ctypes.byref(gone))
    return list(winners), {seat for seat in range(4) if gone.value >> seat & 1}


@SEATS
def test_the_same_seed_gives_the_same_choices(draft: Any, seats: int) -> None:
    asked = list(questions(table(seats), 7, every=5))
    assert {question["kind"] for question in asked} >= {"token", "pick", "play"}
    first, again = (
        [draft.choose({"seed": 11}, question, 0.02) for question in asked] for _ in range(2)
    )
    assert first == again


@SEATS
def test_answers_need_no_time(draft: Any, seats: int) -> None:
    for seed in (1, 2):
        for question in questions(table(seats), seed, every=1):
            question["clock"] = {"move": 0.0005, "bank": 0.0}
            taken = []
            for _ in range(TRIALS):
                began = time.process_time()
                choice, note = draft.choose({"seed": 3}, question, 0.0005)
                taken.append(time.process_time() - began)
                assert choice in question["options"]
                assert len(note) < 80
                if taken[-1] < 0.02:
                    break
            assert min(taken) < 0.02


def test_a_certain_task_is_chosen(draft: Any) -> None:
    """The highest trump wins the last trick if it is kept."""
    hands = [["B1", "B2"], ["B9", "R2"], ["G1", "G2"], ["Y2", "Y3"]]
    seen = {
        "seat": 1,
        "round": 0,
        "scores": [0, 0, 0, 0],
        "dealer": 0,
        "tokens": [["exactly_1"], ["last_trick"], ["exactly_4"], ["exactly_4"]],
        "picks": [],
        "columns": [],
        "trumps": {"colour": "B", "number": None},
        "tasks": [None, "last_trick", "exactly_4", "exactly_4"],
        "hands": hands,
        "leader": 1,
        "trick": [],
        "tricks": [{"leader": 1, "cards": ["R9", "R3", "R4", "R5"], "winner": 1}] * 7,
    }
    question = {"kind": "play", "options": ["B9", "R2"], "view": seen, "clock": None}
    assert draft.choose({"seed": 1}, question, 1.0)[0] == "R2"
