"""Situations in which the right choice is obvious, to who counts cards and to who does not."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BOTS = Path(__file__).parents[2] / "bots"
GAMES = ("sticheln", "hat_trick", "was_sticht")


def load(name: str) -> Callable[[dict[str, Any]], str]:
    """The bot's `choose`; other bots have modules of the same names, so none stays loaded."""
    folder = BOTS / name
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location(f"{name}_bot", folder / "bot.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        for game in GAMES:
            sys.modules.pop(game, None)
    choose: Callable[[dict[str, Any]], str] = module.choose
    return choose


CARDS = {
    "hat-trick": [f"{colour}{number}" for colour in "RBG" for number in range(1, 21)],
    "other": [f"{colour}{number}" for colour in "GNRBY" for number in range(9)],
}


class Asked:
    """A bot that is asked, in seat 0 of three, or of as many as there are scores."""

    def __init__(self, name: str) -> None:
        self.choose = load(name)

    def __call__(self, variant: str, kind: str, options: str, **view: Any) -> str:
        """Its choice."""
        known = {"seat": 0, "leader": 0, "trick": [], "tricks": [], "scores": [0, 0, 0]} | view
        known.setdefault("hand", options.split())
        question = {"variant": variant, "kind": kind, "options": options.split(), "view": known}
        cards = CARDS["hat-trick" if variant == "hat-trick" else "other"]
        return self.choose(question | {"cards": cards})


CAREFUL, COUNTER = Asked("careful"), Asked("counter")


@pytest.fixture(params=[CAREFUL, COUNTER], ids=["careful", "counter"])
def ask(request: pytest.FixtureRequest) -> Asked:
    """Each of the two."""
    asked: Asked = request.param
    return asked


@pytest.mark.parametrize(
    ("variant", "options", "choice"),
    [
        ("sticheln", "B8 G0 G1 G2 N7 N8 R6 Y7 Y8", "G0 G1"),
        ("stick-em", "B6 B7 B8 G1 R7 R8 V8 Y8", "G1"),
        ("sticheln+hazy", "B8 G0 G1 N8 R6 Y7", "G0 G1"),
        ("sticheln+reverse", "B2 B3 G1 N5 R8 Y7", "R8"),
        ("sticheln+aggravated", "B8+G0 B8+R1 G0+R1 G0+Y7 R1+Y7", "G0+R1"),
        ("sticheln+reverse+aggravated", "B8+G0 B8+R7 G0+R7", "B8+R7"),
    ],
)
def test_lays_down_a_low_card_or_a_lucky_high_one(
    ask: Asked, variant: str, options: str, choice: str
) -> None:
    hand = sorted({card for option in options.split() for card in option.split("+")})
    assert ask(variant, "designate", options, hand=hand) in choice.split()


@pytest.mark.parametrize(
    ("what", "variant", "designated", "trick", "options", "choice"),
    [
        ("takes a trick without a misery card", "sticheln", "G1 R1 R2", "B3 Y4", "N2 N8", "N8"),
        ("leaves one with misery cards", "sticheln", "G1 R1 R2", "B3 G7", "N2 N8", "N2"),
        ("dumps its misery card", "sticheln", "G1 R1 R2", "B3 Y8", "G7 N4", "G7"),
        ("dumps on the taker", "sticheln", "G1 B2 R1", "B3 Y8", "R5 B5", "R5"),
        ("leads a low card of another colour", "sticheln", "G1 R1 R2", "", "N1 N8", "N1"),
        ("ducks with a 0", "sticheln", "G1 R1 R2", "G8 B2", "N0 N5", "N0"),
        ("takes what is lucky", "sticheln+reverse", "G8 R8 R7", "B3 G7", "N1 N8", "N1"),
        ("leaves what is not", "sticheln+reverse", "G8 R8 R7", "B3 Y4", "N1 N8", "N8"),
        ("minds both colours", "sticheln+aggravated", "G1,R1 N1,Y2 N2,Y1", "B3 R6", "N1 N8", "N1"),
        ("knows its own card", "sticheln+hazy", "G1 - -", "B3 G7", "N2 N8", "N2"),
        ("minds the 5 points", "sticheln+mild", "G1 R1 R2", "B2 G3", "N2 N8", "N2"),
    ],
)
def test_sticheln(
    ask: Asked, what: str, variant: str, designated: str, trick: str, options: str, choice: str
) -> None:
    laid = [None if seat == "-" else seat.split(",") for seat in designated.split()]
    on_table = trick.split()
    leader = -len(on_table) % 3
    answer = ask(variant, "play", options, designated=laid, trick=on_table, leader=leader)
    assert answer == choice, what


@pytest.mark.parametrize(
    ("variant", "options", "choice"),
    [("sticheln+delayed", "B R Y", "Y"), ("sticheln+reverse+delayed", "B R Y", "B")],
)
def test_names_the_best_colour(ask: Asked, variant: str, options: str, choice: str) -> None:
    tricks = [{"leader": 0, "cards": ["B8", "R5", "Y1"], "winner": 0}]
    assert ask(variant, "delayed", options, tricks=tricks, hand=[]) == choice


@pytest.mark.parametrize(
    ("what", "trick", "options", "choice"),
    [
        ("wins its colour", "R3 R9 R5", "R12 B2", "R12"),
        ("ducks below another", "B3 B9 R5", "B7 B15 G2", "B7"),
        ("gets rid of a high card below a higher one", "B3 B19 R5", "B2 B18 R1", "B18"),
        ("does not pass", "B3 B19 R5", "B4 G1", "B4"),
    ],
)
def test_hat_trick(ask: Asked, what: str, trick: str, options: str, choice: str) -> None:
    won = [{"leader": 0, "cards": ["R20", "R1", "R2", "R4"], "takers": [0, 0, 0, 0]}]
    view = {"scores": [0] * 4, "leader": 1, "trick": trick.split(), "tricks": won}
    assert ask("hat-trick", "play", options, **view) == choice, what


def draft(**view: Any) -> dict[str, Any]:
    """What a view of Was sticht holds."""
    return {"trumps": {"colour": "R", "number": 5}, "dealer": 2, "picks": []} | view


@pytest.mark.parametrize(
    ("tokens", "choice"), [("no_trick fewest_tricks", "G1"), ("most_tricks exactly_4", "R5")]
)
def test_picks_as_its_tokens_want_it(ask: Asked, tokens: str, choice: str) -> None:
    view = draft(tokens=[tokens.split()] * 3, hand=[])
    assert ask("was-sticht", "pick", "G1 G9 R5 Y6", **view) == choice


def test_learns_from_a_hint(ask: Asked) -> None:
    picks = [{"leader": 1, "cards": ["G9", "Y1", "G2", "G1"], "hint": 2}]
    picks += [{"leader": 2, "cards": ["B9", "B2", "Y3", "B7"], "hint": 1}]
    view = draft(tokens=[["most_tricks"]] * 3, trumps=None, picks=picks, hand=["G2", "B2"])
    assert ask("was-sticht", "pick", "G8 R8 Y4", **view) == "Y4"


@pytest.mark.parametrize(
    ("hand", "choice"),
    [("B1 B2 G1 G2 G3 Y1 Y2 Y3 B3", "no_trick"), ("R5 B5 R9 R8 R7 R6 G9 Y9 B9", "most_tricks")],
)
def test_chooses_the_task_that_fits(ask: Asked, hand: str, choice: str) -> None:
    rest = [f"{colour}{n}" for colour in "RGYB" for n in range(1, 10)]
    rest = [card for card in rest if card not in hand]
    hands = [hand.split(), rest[::3], rest[1::3]]
    tokens = [["most_tricks", "no_trick"], ["exactly_2", "no_red"], ["no_blue"]]
    view = draft(hand=hands[0], hands=hands, tokens=tokens)
    assert ask("was-sticht", "task", "most_tricks no_trick", **view) == choice


@pytest.mark.parametrize(
    ("what", "tasks", "trick", "hands", "choice"),
    [
        ("wins the trick it needs", "exactly_1 no_red -", "G4 G8", "G2 G9,Y1,B1", "G9"),
        ("keeps the last one", "last_trick no_trick -", "Y4 Y8", "Y3 R5,Y1,B1", "Y3"),
        ("is rid of what would win later", "no_trick no_red -", "G4 G8", "G1 G7,G5,G6", "G7"),
        ("wins now, to lead no more", "exactly_1 no_red -", "G4 G8", "G1 G9,G5,G7", "G9"),
        ("spoils as a dealer", "- no_trick exactly_2", "G6 G4", "G9 G1,G3,G2", "G1"),
    ],
)
def test_looks_to_the_end(what: str, tasks: str, trick: str, hands: str, choice: str) -> None:
    held = [hand.split() for hand in hands.split(",")]
    view = draft(
        tasks=[None if task == "-" else task for task in tasks.split()],
        dealer=tasks.split().index("-"),
        trick=trick.split(),
        leader=1,
        hand=held[0],
        hands=held,
    )
    assert COUNTER("was-sticht", "play", " ".join(held[0]), **view) == choice, what


@pytest.mark.parametrize(
    ("what", "gone", "options", "choice"),
    [
        ("the green cards are gone", "G1 G2 G3 G4 G5 G6 G7 G8", "R4 R1", "R4"),
        ("somebody throws in a green one", "", "R4 R1", "R1"),
    ],
)
def test_counts_what_is_out(what: str, gone: str, options: str, choice: str) -> None:
    tricks = [{"leader": 1, "cards": gone.split(), "winner": 1}] if gone else []
    view = {"trick": ["B1"], "leader": 2, "tricks": tricks}
    view |= {"hand": ["R1", "R4", "R5", "R6", "R7", "R8", "Y7", "Y8", "N8", "N7", "N6"]}
    laid = [["G0"], ["Y0"], ["N0"]]
    assert COUNTER("sticheln", "play", options, designated=laid, **view) == choice, what


@pytest.mark.parametrize(
    ("what", "task", "trick", "options", "choice"),
    [
        ("wins cheaply", "most_tricks", "G4 G6", "G7 G9", "G7"),
        ("ducks as high as it can", "no_trick", "G4 G8", "G2 G7 G9", "G7"),
        ("needs one more", "exactly_1", "G4 G8", "G2 G9", "G9"),
        ("saves its strong card for the end", "last_trick", "G4 G8", "G2 G7 G9", "G2"),
    ],
)
def test_plays_for_its_task(what: str, task: str, trick: str, options: str, choice: str) -> None:
    view = draft(tasks=[task, "no_red", None], trick=trick.split(), leader=1)
    assert CAREFUL("was-sticht", "play", options, **view) == choice, what
