"""The sampler finds what is plain to see, keeps to the rules in its head, and repeats itself."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from arena.games.catalog import variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from tests.games.game_states import random_chooser

FOLDER = Path(__file__).parents[2] / "bots" / "sampler"
TABLES = [
    ("sticheln", 4),
    ("sticheln+mild+aggravated+hazy", 3),
    ("stick-em+reverse+delayed", 3),
    ("hat-trick", 5),
    ("was-sticht", 3),
]
Message = dict[str, Any]


def answers(*messages: Message) -> list[Message]:
    """What the bot says to these messages, after its `ready`."""
    hello = {"type": "hello", "protocol": 1, "line": 65536, "games": 64, "limits": None}
    output = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=FOLDER,
        input="".join(json.dumps(message) + "\n" for message in (hello, *messages)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert not output.stderr
    ready, *chosen = map(json.loads, output.stdout.splitlines())
    assert ready == {"type": "ready", "name": "sampler", "games": 64}
    return chosen


def start(game: int, name: str, seed: int) -> Message:
    return {"type": "start", "game": game, "variant": name, "seed": seed}


def decide(game: int, name: str, question: Message, move: float) -> Message:
    asked = {"type": "decide", "game": game, "id": question["id"], "variant": name, **question}
    return {**asked, "clock": {"move": move, "bank": 0.0}}


def questions(name: str, seats: int, count: int) -> list[Message]:
    """Questions of a game played by chance, of all its kinds."""
    game = variant(name).game(seats)
    found: list[Message] = []
    for step in play_steps(game, 3, random_chooser(Random(3))):
        for decision in step.after.pending[:1]:
            view = msgspec.to_builtins(game.view(step.after, decision.seat))
            asked = {"kind": decision.kind, "options": decision.options, "view": view}
            found.append({"id": len(found), **asked})
    kinds = {question["kind"]: question for question in found}
    return [*kinds.values(), *Random(1).sample(found, count)]


@pytest.fixture(scope="module")
def all_questions() -> list[tuple[str, Message]]:
    return [(name, question) for name, seats in TABLES for question in questions(name, seats, 4)]


def ask(asked: list[tuple[str, Message]], move: float, game: int) -> list[str]:
    """The choices of a process that holds a game of each variant, numbered from here on."""
    games = {name: game + at for at, (name, _) in enumerate(TABLES)}
    begun = [start(number, name, 7) for name, number in games.items()]
    chosen = answers(*begun, *(decide(games[name], name, q, move) for name, q in asked))
    assert [choice["id"] for choice in chosen] == [question["id"] for _, question in asked]
    for choice, (_, question) in zip(chosen, asked, strict=True):
        assert choice["choice"] in question["options"]
    return [choice["choice"] for choice in chosen]


@pytest.mark.slow
def test_choices_depend_on_seed_and_table_only(all_questions: list[tuple[str, Message]]) -> None:
    """The seed and the table decide, not the numbers of games or the order of questions."""
    first = ask(all_questions, 0.1, game=1)
    assert ask(all_questions[::-1], 0.1, game=50) == first[::-1]


@pytest.mark.slow
def test_answers_without_time(all_questions: list[tuple[str, Message]]) -> None:
    ask(all_questions * 3, 0.001, game=1)


def sticheln_view(hand: str, trick: str, **more: Any) -> Message:
    """Seat 2 of three is the last to play to the last trick but one; its special colour is red."""
    return {
        "seat": 2,
        "phase": "play",
        "round": 0,
        "scores": [0, 0, 0],
        "hand": hand.split(),
        "leader": 0,
        "trick": trick.split(),
        "tricks": [],
        "designated": [["G0"], ["B0"], ["R0"]],
        **more,
    }


def draft_view(hands: list[str], trick: str, tasks: list[str | None]) -> Message:
    """The same in Was sticht, without trumps; seat 0 is the dealer."""
    return {
        **sticheln_view(hands[2], trick),
        "dealer": 0,
        "tokens": [[task or "no_red"] for task in tasks],
        "discarded": [[], [], []],
        "supply": [],
        "columns": [],
        "picks": [],
        "trumps": {"colour": None, "number": None},
        "tasks": tasks,
        "hands": [hand.split() for hand in hands],
        "previous": None,
    }


HAT_TRICK = {**sticheln_view("G20 R1", "R5 R6 B3"), "seat": 3, "scores": [0] * 4, "designated": []}
PLAIN: list[tuple[str, Message, str]] = [
    ("sticheln", sticheln_view("B8 R1", "R3 R8"), "R1"),
    ("sticheln+reverse", sticheln_view("B1 R7", "R3 R8"), "B1"),
    ("sticheln+hazy", sticheln_view("B8 R1", "R3 R8", designated=[None, None, ["R0"]]), "R1"),
    ("stick-em", sticheln_view("B8 R1", "R3 R8"), "R1"),
    ("hat-trick", HAT_TRICK, "R1"),
    ("was-sticht", draft_view(["R9", "B1", "R1 R7"], "R5 R6", [None, "no_blue", "no_trick"]), "R1"),
    (
        "was-sticht",
        draft_view(["R9", "B1", "R1 R7"], "R5 R6", [None, "no_blue", "exactly_1"]),
        "R7",
    ),
]


@pytest.mark.slow
def test_obvious_choices_are_found() -> None:
    asked = []
    for at, (name, view, _) in enumerate(PLAIN):
        question = {"id": at, "kind": "play", "options": sorted(view["hand"]), "view": view}
        asked += [start(at, name, at), decide(at, name, question, 1.0)]
    assert [output["choice"] for output in answers(*asked)] == [choice for _, _, choice in PLAIN]


def test_unknown_questions_get_the_first_option() -> None:
    """Another variant, or another kind of question: the first option."""
    view = sticheln_view("B8 R1", "R3 R8")
    asked = []
    for at, (name, kind) in enumerate([("skat", "play"), ("sticheln", "bid")]):
        question = {"id": at, "kind": kind, "options": ["B8", "R1"], "view": view}
        asked += [start(at, name, at), decide(at, name, question, 1.0)]
    assert [output["choice"] for output in answers(*asked)] == ["B8", "B8"]


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """How the sampler plays on: its modules stand in no package, so they are forgotten again."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    yield importlib.import_module("bot").policy
    for name in set(sys.modules) - before:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("sticheln", 4),
        ("sticheln+reverse+aggravated", 3),
        ("stick-em+mild", 6),
        ("stick-em+delayed", 3),
        ("sticheln+delayed+aggravated+reverse", 4),
        ("hat-trick", 4),
        ("hat-trick", 7),
    ],
)
def test_playouts_follow_the_rules(policy: Any, name: str, seats: int) -> None:
    """A round that it plays on in its head brings what the game says about the same cards."""
    played = policy(name, seats)
    game, deck, module = played.game, played.deck, sys.modules[type(played).__module__]
    for seed in range(10):
        state = game.start(SeededShuffle(seed))
        if state.round.phase == "designate":
            state = game.apply(state, [Random(seed).choice(d.options) for d in state.pending])
        hands = module.Hands(np.array([[deck.numbers(hand) for hand in state.hands]]))
        mood = np.zeros((1, seats), dtype=np.intp)
        special = [[getattr(played, "specials", [()]).index(s) for s in specials(state, seats)]]
        minds = mood if name == "hat-trick" else (np.array(special), mood)
        view = game.view(state, state.pending[0].seat)
        batch = module.Batch(played, hands, minds, len(state.hands[0]), view)
        cards: list[str] = []
        put = batch.put

        def note(seat: Any, card: Any, put: Any = put, cards: Any = cards) -> None:
            cards.append(deck.cards[card[0]])
            put(seat, card)

        batch.put = note
        found = [float(points) for points in batch.finish()[0]]
        assert found == points(game, state, cards)


def specials(state: Any, seats: int) -> tuple[Any, ...]:
    """The special colours of all seats, if they have any yet."""
    return state.round.special or ((),) * seats


def points(game: Any, state: Any, cards: list[str]) -> list[float]:
    """What these cards bring everybody; designating cards are left out, and the best is named."""
    laid = [
        sum(game.card_points[special][card] for card in own)
        for own, special in zip(state.round.designated, state.round.special, strict=True)
    ] or [0] * game.seats
    for card in cards:
        state = game.apply(state, [card])
    if state.round.phase == "delayed":
        choices = [
            named(game, game.cards_won(state.tricks)[d.seat], d.options) for d in state.pending
        ]
        state = game.apply(state, choices)
    return [total - own for total, own in zip(game.scores(state), laid, strict=True)]


def named(game: Any, won: list[str], options: tuple[str, ...]) -> str:
    """The colours that bring most for the cards won."""
    return max(options, key=lambda o: sum(game.rules.points(card, o.split("+")) for card in won))
