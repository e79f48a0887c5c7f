"""Hat Trick."""

from typing import Any

HIGHEST = 20
PASS = -2
"""What a passed card counts."""


def number(card: str) -> int:
    """The number of a card."""
    return int(card[1:])


def choose(options: list[str], view: dict[str, Any]) -> str:
    """The card that is best now."""
    aim = wanted(view)
    return max(options, key=lambda card: playing(card, view, aim))


def wanted(view: dict[str, Any]) -> str:
    """The colour to collect: the one with most cards won and high cards in the hand."""
    has = dict.fromkeys("RBG", 0.0)
    for trick in view["tricks"]:
        for card, taker in zip(trick["cards"], trick["takers"], strict=True):
            has[card[0]] += taker == view["seat"]
    for card in view["hand"]:
        has[card[0]] += (number(card) / HIGHEST) ** 2
    return max(has, key=lambda colour: has[colour])


def playing(card: str, view: dict[str, Any], aim: str) -> float:
    """How good it is to play a card: what it wins now, less what it could do later."""
    seats, trick = len(view["scores"]), view["trick"]
    to_come = seats - len(trick) - 1
    power = number(card) / HIGHEST
    sign = 1 if card[0] == aim else -1
    later = sign * power  # a high card of another colour wins what we do not want
    colours = list(dict.fromkeys(on_table[0] for on_table in trick))[:2]
    if len(colours) == 2 and card[0] not in colours:
        return PASS - later
    same = [on_table for on_table in trick if on_table[0] == card[0]]
    if any(number(on_table) > number(card) for on_table in same):
        return -later
    hold = power**to_come
    return sign * hold * (len(same) + 1 + to_come / 3) - later
