"""The rules of Was sticht, case by case."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from arena.games.base import Sizes
from arena.games.catalog import variant
from arena.games.shuffle import SeededShuffle
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.state import Trumps
from arena.games.was_sticht.tasks import TASKS, TrickTally
from tests.card_texts import cards


def game(seats: int = 4) -> WasStichtGame:
    made = variant("was-sticht").game(seats)
    assert isinstance(made, WasStichtGame)
    return made


RULES = game().rules


def winner(trick: str, trumps: Trumps) -> int:
    return game().winning_place(trumps, cards(trick))


@pytest.mark.parametrize(("seats", "sizes"), [(3, (36, 9, 9, 9, None)), (4, (36, 9, 0, 9, None))])
def test_sizes(seats: int, sizes: tuple[int, int, int, int, None]) -> None:
    assert game(seats).sizes == Sizes(*sizes)


@pytest.mark.parametrize(
    ("trick", "colour", "number", "place"),
    [
        pytest.param("B7 R6 Y2 R3", "R", 2, 2, id="a trump number beats the trump colour"),
        pytest.param("G9 B5 R5 G8", None, 5, 1, id="only a number"),
        pytest.param("G9 R1 G8 R3", "R", None, 3, id="only a colour"),
        pytest.param("G5 R5 B9 Y5", None, 5, 0, id="equal numbers: the first"),
        pytest.param("B7 Y9 Y7 G7", "Y", 7, 2, id="both number and colour"),
        pytest.param("G2 R9 G1 B9", None, None, 0, id="no trumps at all"),
    ],
)
def test_winner(trick: str, colour: str | None, number: int | None, place: int) -> None:
    assert winner(trick, Trumps(colour, number)) == place


def test_order_of_trumps() -> None:
    """Every class beats all later ones in both orders of play; in a class the first card wins."""
    trumps = Trumps("R", 5)
    classes = [
        cards(line) for line in ("R5", "B5 G5 Y5", *(f"R{n}" for n in (9, 8, 7, 6, 4, 3, 2, 1)))
    ]
    for at, strong in enumerate(classes):
        for card in strong:
            for weak in (weak for later in classes[at + 1 :] for weak in later):
                assert winner(f"{card} {weak}", trumps) == 0
                assert winner(f"{weak} {card}", trumps) == 1
        for one, other in permutations(strong, 2):
            assert winner(f"{one} {other}", trumps) == 0


@pytest.mark.parametrize(
    ("hand", "led", "colour", "number", "legal"),
    [
        pytest.param("R2 B3 G9", "R7", "R", 3, "R2 B3", id="a trump led: any trump"),
        pytest.param("R2 G3 B7", "B3", "R", 3, "R2 G3", id="a trump number led is a trump"),
        pytest.param("B3 G4", "B9", "R", 3, "B3 G4", id="a trump number is not its colour"),
        pytest.param("B3 B1 R9", "B9", "R", 3, "B1", id="follow with a plain card"),
        pytest.param("R1 G4", "B9", "R", None, "R1 G4", id="no duty to trump"),
    ],
)
def test_legal_cards(hand: str, led: str, colour: str, number: int | None, legal: str) -> None:
    suit = game().rankings[Trumps(colour, number)].suit[led]
    assert RULES.follow(cards(hand), suit) == cards(legal)


@pytest.mark.parametrize(
    ("task", "seat", "tricks", "won", "last", "done"),
    [
        ("most_tricks", 0, (3, 3, 2, 1), "", 0, False),
        ("most_tricks", 0, (4, 3, 2, 0), "", 0, True),
        ("fewest_tricks", 1, (9, 0, 0, 0), "", 0, False),
        ("fewest_tricks", 1, (5, 1, 2, 1), "", 0, False),
        ("fewest_tricks", 1, (5, 0, 2, 2), "", 0, True),
        ("no_red", 1, (9, 0, 0, 0), "", 0, True),
        ("no_red", 0, (1, 8, 0), "B5 R5 B1", 1, False),
        ("no_blue", 0, (1, 8, 0), "G5 R5 Y1", 1, True),
        ("no_green", 0, (1, 8, 0), "G5 R5 Y1", 1, False),
        ("no_yellow", 0, (1, 8, 0), "G5 R5 Y1", 1, False),
        ("no_trick", 2, (1, 8, 0), "", 1, True),
        ("no_trick", 1, (1, 8, 0), "", 1, False),
        ("exactly_1", 0, (1, 8, 0), "", 1, True),
        ("exactly_2", 0, (1, 8, 0), "", 1, False),
        ("exactly_3", 1, (1, 3, 5), "", 1, True),
        ("exactly_4", 2, (1, 4, 4), "", 1, True),
        ("last_trick", 1, (1, 4, 4), "", 1, True),
        ("last_trick", 2, (1, 4, 4), "", 1, False),
    ],
)
def test_tasks(
    task: str, seat: int, tricks: tuple[int, ...], won: str, last: int, done: bool
) -> None:
    piles = tuple(cards(won) if at == seat else () for at in range(len(tricks)))
    assert RULES.fulfilled(task, seat, TrickTally(tricks, piles, last)) is done


@pytest.mark.parametrize(
    ("tasks", "dealer", "tricks", "last", "owners", "dealer_too"),
    [
        pytest.param(
            (None, "exactly_1", "no_trick", "last_trick"), 0, (1, 3, 0, 5), 1, [2], True,
            id="the dealer does what its owner failed to do",
        ),
        pytest.param(
            (None, "exactly_1", "exactly_3", "exactly_4"), 0, (1, 1, 3, 4), 3, [1, 2, 3], False,
            id="an owner who succeeds keeps the dealer out",
        ),
        pytest.param(
            (None, "exactly_2", "exactly_2", "last_trick"), 0, (2, 2, 4, 1), 3, [1, 3], True,
            id="two owners of a kind, one fails",
        ),
        pytest.param(
            ("most_tricks", None, "no_trick"), 1, (4, 5, 0), 0, [2], True, id="three players"
        ),
    ],
)  # fmt: skip
def test_judging(
    tasks: tuple[str | None, ...],
    dealer: int,
    tricks: tuple[int, ...],
    last: int,
    owners: list[int],
    dealer_too: bool,
) -> None:
    tally = TrickTally(tricks, ((),) * len(tricks), last)

    def fulfils(task: str, seat: int) -> bool:
        return RULES.fulfilled(task, seat, tally)

    assert [s for s, task in enumerate(tasks) if task and fulfils(task, s)] == owners
    assert RULES.dealer(tasks, dealer, fulfils) is dealer_too


@pytest.mark.parametrize(
    ("discarded", "order"),
    [
        pytest.param(("no_trick no_red", "exactly_2 last_trick", ""), [1, 2, 3], id="by value"),
        pytest.param(("no_blue no_red", "no_green no_yellow", ""), [1, 1, 3], id="shared"),
        pytest.param(("no_red no_red no_red", "no_trick no_trick", ""), [1, 2, 3], id="by count"),
    ],
)
def test_places(discarded: tuple[str, ...], order: list[int]) -> None:
    table = game(3)
    state = table.start(SeededShuffle(1))
    gone = tuple(tuple(tasks.split()) for tasks in discarded)
    state = replace(state, round=replace(state.round, discarded=gone))
    assert table.ranks(state) == tuple(order)
    assert table.scores(state) == tuple(map(len, gone))


def test_values() -> None:
    """They break ties, and are as hard as a task is rarely fulfilled by chance."""
    assert {name: task.value for name, task in TASKS.items()} == {
        "no_trick": 9,
        "no_red": 3,
        "no_green": 3,
        "no_yellow": 3,
        "no_blue": 3,
        "exactly_1": 4,
        "exactly_2": 4,
        "exactly_3": 5,
        "exactly_4": 9,
        "last_trick": 4,
        "most_tricks": 5,
        "fewest_tricks": 6,
    }
