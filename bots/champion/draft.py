"""Was sticht: the core searches draft, tasks and tricks; tokens go by a table."""

import ctypes
from typing import Any

from core import LIBRARY, mixed

KINDS = {"play": 0, "task": 1, "pick": 2, "token": 3, "discard": 4}
COLOURS = "BGRY"
CARDS = {f"{colour}{n}": 9 * c + n - 1 for c, colour in enumerate(COLOURS) for n in range(1, 10)}
TASKS = (
    "exactly_1",
    "exactly_2",
    "exactly_3",
    "exactly_4",
    "fewest_tricks",
    "last_trick",
    "most_tricks",
    "no_blue",
    "no_green",
    "no_red",
    "no_trick",
    "no_yellow",
)
TASK = {task: number for number, task in enumerate(TASKS)}

EASE = {
    "exactly_1": (0.12, 0.24),
    "exactly_2": (0.17, 0.23),
    "exactly_3": (0.21, 0.27),
    "exactly_4": (0.24, 0.25),
    "fewest_tricks": (0.27, 0.10),
    "last_trick": (0.64, 0.60),
    "most_tricks": (0.55, 0.53),
    "no_blue": (0.38, 0.47),
    "no_green": (0.38, 0.47),
    "no_red": (0.38, 0.47),
    "no_trick": (0.09, 0.19),
    "no_yellow": (0.38, 0.47),
}
"""How often a task is fulfilled among equals like this bot, with three and with four seats."""
AGAIN = 0.8
"""How much of that a second token of the same kind is worth."""

SHARE = 0.05
"""The part of the time for a decision that is used."""
RATE = 30_000_000
"""Cards the core plays in a second, on a slow machine."""
LEAST = 2_000
"""Cards it plays in any case."""
NET = 0.6
"""The part of the time for a decision at which the core stops, whatever it was to do."""
FOREVER = 1e9

Numbers = ctypes.c_int64 * 101
Values = ctypes.c_double * len(CARDS)
Visits = ctypes.c_int64 * len(CARDS)

search = LIBRARY.draft_choose
search.restype = None
search.argtypes = (
    Numbers,
    ctypes.c_uint64,
    ctypes.c_int64,
    ctypes.c_double,
    Values,
    Visits,
)
LIBRARY.draft_ready()


def choose(start: dict[str, Any], question: dict[str, Any], seconds: float) -> tuple[str, str]:
    """The choice for a question with so many seconds for it, and a word about it."""
    options = question["options"]
    if len(options) == 1:
        return options[0], "the only option"
    if question["kind"] == "token":
        return token(options, question["view"])
    if question["kind"] == "discard":
        seats = len(question["view"]["tokens"])
        return min(options, key=lambda task: ease(task, seats)), "the hardest token"
    return searched(start["seed"], question, seconds)


def ease(task: str, seats: int) -> float:
    """How often a task is fulfilled."""
    return EASE[task][seats - 3]


def token(options: list[str], view: dict[str, Any]) -> tuple[str, str]:
    """The easiest token, for choice one of a kind not held yet."""
    seats, held = len(view["tokens"]), view["tokens"][view["seat"]]
    best = max(options, key=lambda task: ease(task, seats) * AGAIN ** held.count(task))
    return best, f"done {ease(best, seats):.0%} of the time"


def searched(seed: int, question: dict[str, Any], seconds: float) -> tuple[str, str]:
    """The option that the core looks at most."""
    view, clock = question["view"], question["clock"]
    seen = len(view["trick"]) + 4 * len(view["picks"]) + 4 * len(view["tricks"])
    chance = mixed(seed, view["round"], KINDS[question["kind"]], seen)
    cards = max(LEAST, int(seconds * SHARE * RATE))
    values, visits = Values(), Visits()
    net = NET * clock["move"] if clock else FOREVER
    search(Numbers(*numbers(question["kind"], view)), chance, cards, net, values, visits)
    place = TASK if question["kind"] == "task" else CARDS
    best = max(question["options"], key=lambda o: (visits[place[o]], values[place[o]]))
    return best, f"worth {values[place[best]]:+.2f}"


def numbers(kind: str, view: dict[str, Any]) -> list[int]:
    """A view as the core reads it; see `Question` there."""
    trumps, hands, tricks, tasks = view["trumps"], view["hands"], view["tricks"], view["tasks"]
    seats = len(hands)
    colour, number = -1, -1
    if trumps:
        colour = COLOURS.index(trumps["colour"]) if trumps["colour"] else len(COLOURS)
        number = trumps["number"] or 0
    won, colours = [0] * 4, [0] * 4
    for trick in tricks:
        won[trick["winner"]] += 1
        for card in trick["cards"]:
            colours[trick["winner"]] |= 1 << CARDS[card] // 9
    trick = [CARDS[card] for card in view["trick"]]
    picks, columns = view["picks"], []
    if kind == "pick":
        columns = [cards(column) for column in view["columns"][len(picks) :]]
        columns[0] &= ~cards(view["trick"])
    return [
        KINDS[kind],
        seats,
        view["seat"],
        view["dealer"],
        colour,
        number,
        *padded(view["scores"], 4),
        *padded([bits(TASK[task] for task in held) for held in view["tokens"]], 4),
        *padded([TASK[task] if task else -1 for task in tasks or [None] * seats], 4, -1),
        *padded([cards(hand) for hand in hands], 4),
        *won,
        *colours,
        view["leader"],
        len(trick),
        *padded(trick, 4),
        len(columns),
        *padded(columns, 9),
        len(picks),
        *padded([n for column in picks for n in hint(column)], 54),
    ]


def hint(column: dict[str, Any]) -> list[int]:
    """A column that is picked: who began, its cards, who would have won it."""
    return [column["leader"], *(CARDS[card] for card in column["cards"]), column["hint"]]


def cards(names: list[str]) -> int:
    """These cards as a set of bits."""
    return bits(CARDS[name] for name in names)


def bits(places: Any) -> int:
    """A set of bits."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def padded(found: list[int], size: int, filler: int = 0) -> list[int]:
    """A list filled up to this size."""
    return found + [filler] * (size - len(found))
