"""Was sticht."""

from itertools import product
from typing import Any

EASY = [
    "no_red",
    "no_green",
    "no_yellow",
    "no_blue",
    "last_trick",
    "exactly_2",
    "exactly_1",
    "fewest_tricks",
    "exactly_3",
    "most_tricks",
    "no_trick",
    "exactly_4",
]
"""The tasks, the easiest first."""

TRICKS = {
    "no_red": 1.0,
    "no_green": 1.0,
    "no_yellow": 1.0,
    "no_blue": 1.0,
    "last_trick": 3.0,
    "exactly_1": 1.0,
    "exactly_2": 2.0,
    "exactly_3": 3.0,
    "exactly_4": 4.0,
    "fewest_tricks": 0.5,
    "most_tricks": 5.0,
    "no_trick": 0.0,
}
"""How many tricks a hand should win for a task."""

Trumps = tuple[str | None, int | None]


def number(card: str) -> int:
    """The number of a card."""
    return int(card[1:])


def choose(kind: str, options: list[str], view: dict[str, Any]) -> str:
    """The answer to a question of this kind."""
    if kind == "token":
        return min(options, key=EASY.index)
    if kind == "discard":
        return max(options, key=EASY.index)
    if kind == "pick":
        return picking(options, view)
    if kind == "task":
        return min(options, key=lambda task: (unlikely(task, view), EASY.index(task)))
    return playing(options, view)


def strength(card: str, led: str, trumps: Trumps) -> int:
    """How strong a card is in a trick with this card led; of equal ones the first wins."""
    colour, trump = trumps
    if number(card) == trump:
        return 300 if card[0] == colour else 200
    if card[0] == colour:
        return 100 + number(card)
    return number(card) if card[0] == led[0] else 0


def winner(cards: list[str], trumps: Trumps) -> int:
    """The place of the card that wins."""
    strengths = [strength(card, cards[0], trumps) for card in cards]
    return strengths.index(max(strengths))


def known(view: dict[str, Any]) -> list[Trumps]:
    """The trumps there may be after what the dealer has said about the columns."""
    if view["trumps"]:
        return [(view["trumps"]["colour"], view["trumps"]["number"])]
    seats = len(view["scores"])
    possible: list[Trumps] = list(product([*"RGYB", None], [*range(1, 10), None]))
    for column in view["picks"]:
        cards, leader = column["cards"], column["leader"]
        ghost = len(cards) - 1 if column["hint"] == seats else None
        place = (column["hint"] - leader) % seats if ghost is None else ghost
        possible = [trumps for trumps in possible if winner(cards, trumps) == place]
    return possible


def power(card: str, trumps: Trumps) -> float:
    """About how likely a card is to win a trick."""
    strong = strength(card, card, trumps)
    if strong >= 200:
        return 0.95
    if strong > 100:
        return 0.5 + 0.05 * number(card)
    return max(0.0, 0.15 * (number(card) - 4))


def picking(options: list[str], view: dict[str, Any]) -> str:
    """A strong card if our tasks want more tricks than we have strength for, else a weak one."""
    possible = known(view)
    mine = view["tokens"][view["seat"]]
    goal = sum(TRICKS[task] for task in mine) / len(mine)

    def mean(card: str) -> float:
        return sum(power(card, trumps) for trumps in possible) / len(possible)

    have = sum(map(mean, view["hand"])) + 0.25 * (9 - len(view["hand"]))
    best = max if goal > have else min
    return best(options, key=mean)


def unlikely(task: str, view: dict[str, Any]) -> float:
    """How far the hand is from what a task wants."""
    [trumps] = known(view)
    expected = sum(power(card, trumps) for card in view["hand"])
    if task.startswith("no_") and task != "no_trick":
        colour = task[3].upper()
        mine = [power(card, trumps) for card in view["hand"] if card[0] == colour]
        return 0.5 * expected + sum(mine) + (0.5 if trumps[0] == colour else 0)
    if task == "last_trick":
        return 2.0 - max(power(card, trumps) for card in view["hand"]) * 1.5
    if task == "most_tricks":
        return max(0.0, TRICKS[task] - expected)
    if task == "fewest_tricks":
        return max(0.0, expected - TRICKS[task])
    return abs(TRICKS[task] - expected)


def playing(options: list[str], view: dict[str, Any]) -> str:
    """Win this trick or not, as the task wants it, and as cheaply as can be."""
    [trumps] = known(view)
    trick, seats = view["trick"], len(view["scores"])
    last = len(trick) == seats - 1

    def strong(card: str) -> int:
        return strength(card, card, trumps)

    def wins(card: str) -> bool:
        return winner([*trick, card], trumps) == len(trick)

    if wants(view):
        winners = [card for card in options if wins(card)]
        if winners:
            return min(winners, key=strong) if last else max(winners, key=strong)
        return min(options, key=strong)
    losers = [card for card in options if not wins(card)]
    if view["tasks"][view["seat"]] == "last_trick":  # the strong cards are for the end
        return min(options, key=strong)
    if losers:
        return max(losers, key=strong)
    return max(options, key=strong) if last else min(options, key=strong)


def wants(view: dict[str, Any]) -> bool:
    """Whether winning the trick on the table serves the task."""
    me = view["seat"]
    won = sum(trick["winner"] == me for trick in view["tricks"])
    task = view["tasks"][me] or dealers_task(view, won)
    if task.startswith("exactly"):
        return won < int(task[-1])
    if task == "last_trick":
        return len(view["hand"]) == 1
    return task == "most_tricks"


def dealers_task(view: dict[str, Any], won: int) -> str:
    """As a dealer: the task of somebody else that fits best what we have won so far."""
    others = [task for task in view["tasks"] if task]
    return min(others, key=lambda task: abs(TRICKS[task] - won))
