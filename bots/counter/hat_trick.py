"""Hat Trick: every card is judged by a few counted numbers."""

from typing import Any

COLOURS = "RBG"
NUMBER = {f"{colour}{n}": n for colour in COLOURS for n in range(21)}
"""The number of every card."""

HOPE = 2.0
"""How many cards a sure trick in a colour may bring."""

WILLING = 0.6
"""How many of those who could beat a card do so."""


class Table:
    """What a seat knows when it is to play, and what it has counted."""

    def __init__(self, view: dict[str, Any], cards: list[str]) -> None:
        self.me = view["seat"]
        self.seats = len(view["scores"])
        self.leader = view["leader"]
        self.trick: list[str] = view["trick"]
        self.hand: list[str] = view["hand"]
        self.to_come = self.seats - len(self.trick) - 1
        self.piles = [dict.fromkeys(COLOURS, 0) for _ in range(self.seats)]
        seen = {*self.hand, *self.trick}
        for trick in view["tricks"]:
            seen.update(trick["cards"])
            for card, taker in zip(trick["cards"], trick["takers"], strict=True):
                if taker is not None:
                    self.piles[taker][card[0]] += 1
        unseen = [card for card in cards if card not in seen]
        self.unseen = len(unseen)
        self.out = {c: [NUMBER[card] for card in unseen if card[0] == c] for c in COLOURS}
        self.open = list(dict.fromkeys(card[0] for card in self.trick))[:2]
        self.held = {c: sum(card[0] == c for card in self.hand) for c in COLOURS}
        self.left = (len(self.hand) - 1) / 14
        hopes = dict.fromkeys(COLOURS, 0.0)
        for card in self.hand:
            hopes[card[0]] += self.power(card) ** 2
        mine = self.piles[self.me]
        self.aim = max(COLOURS, key=lambda c: mine[c] + HOPE * hopes[c])
        """The colour we collect."""

    def power(self, card: str) -> float:
        """The share of the unseen cards of its colour that are lower."""
        out = self.out[card[0]]
        return sum(n < NUMBER[card] for n in out) / len(out) if out else 1.0

    def gain(self, seat: int, colour: str, count: int) -> int:
        """What a seat gets at once for winning some cards of a colour."""
        pile = self.piles[seat]
        most = max(pile.values())
        return 2 * (max(most, pile[colour] + count) - most) - count


def choose(options: list[str], view: dict[str, Any], cards: list[str]) -> str:
    """The card with the best weighted sum."""
    table = Table(view, cards)
    return max(options, key=lambda card: score(card, table))


def score(card: str, table: Table) -> float:
    """What speaks for a card."""
    numbers = trick_part(card, table) + hand_part(card, table)
    return sum(weight * n for (_, weight), n in zip(WEIGHTS, numbers, strict=True))


def trick_part(card: str, table: Table) -> list[float]:
    """What can be expected of the trick."""
    colour, trick = card[0], table.trick
    if len(table.open) == 2 and colour not in table.open:
        return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    same = [on_table for on_table in trick if on_table[0] == colour]
    count = len(same) + 1
    highest = max([*same, card], key=NUMBER.__getitem__)
    beating = sum(n > NUMBER[highest] for n in table.out[colour])
    can = 1 - (1 - beating / max(1, table.unseen)) ** len(table.hand)
    hold = (1 - WILLING * can) ** table.to_come
    if highest != card:
        taker = (table.leader + trick.index(highest)) % table.seats
        gain = hold * table.gain(taker, colour, count) / (table.seats - 1)
        return [0.0, 0.0, 0.0, 0.0, 0.0, gain]
    now = hold * count
    more = hold * table.to_come * len(table.out[colour]) / max(1, table.unseen)
    if colour == table.aim:
        return [0.0, now, more, 0.0, 0.0, 0.0]
    return [0.0, 0.0, 0.0, now, more, 0.0]


def hand_part(card: str, table: Table) -> list[float]:
    """What the card could still do."""
    power, left, held = table.power(card), table.left, table.held[card[0]]
    boss = power**4
    if card[0] == table.aim:
        strong = [power, power * left, boss * left, 0.0, 0.0, 0.0, 0.0]
    else:
        strong = [0.0, 0.0, 0.0, power, power * left, boss, boss * left]
    return [*strong, float(held == 1), held / 5]


WEIGHTS = [
    ("it is a pass", -1.92),
    ("cards of our colour that we win", 0.87),
    ("and those to come", 0.53),
    ("other cards that we win", -0.72),
    ("and those to come", -1.52),
    ("what the trick gives another seat", -0.36),
    ("strength in our colour", -0.55),
    ("early in the round", -1.25),
    ("the highest cards, early in the round", -1.19),
    ("strength in another colour", 0.92),
    ("early in the round", -0.58),
    ("the highest cards there", -0.71),
    ("early in the round", 1.97),
    ("it is our last card of its colour", -0.54),
    ("how many we have of its colour", 0.58),
]
"""What each number counts; found by playing rounds twice with different cards."""
