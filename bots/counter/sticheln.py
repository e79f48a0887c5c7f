"""Sticheln and Stick 'Em, with all modifiers: every option is judged by a few counted numbers."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from math import exp
from operator import mul
from typing import Any

NUMBER = {f"{colour}{n}": n for colour in "BNGERVY" for n in range(21)}
"""The number of every card."""


class Rules:
    """What the modifiers in a variant's name change."""

    def __init__(self, variant: str, cards: list[str]) -> None:
        self.reverse = "reverse" in variant
        self.mild = "mild" in variant
        self.delayed = "delayed" in variant
        self.specials = 2 if "aggravated" in variant else 1
        self.sign = 1 if self.reverse else -1
        self.colours = sorted({card[0] for card in cards})

    def special(self, card: str) -> int:
        """What a card of the own special colour counts."""
        return self.sign * (5 if self.mild else NUMBER[card])

    def worth(self, cards: Iterable[str], colours: str) -> int:
        """What cards count for a seat with these special colours."""
        return sum(self.special(c) if c[0] in colours else -self.sign for c in cards)

    def changes(self, cards: list[str]) -> dict[str, int]:
        """What it changes to make each colour special."""
        change = dict.fromkeys(self.colours, 0)
        for card in cards:
            change[card[0]] += self.special(card) + self.sign
        return change

    def named(self, cards: list[str]) -> int:
        """With Delayed: what cards count if the best colours are named."""
        return -self.sign * len(cards) + sum(sorted(self.changes(cards).values())[-self.specials :])

    def strength(self, card: str, led: str) -> int:
        """How strong a card is in a trick with this colour led; of equal ones the first wins."""
        strength = NUMBER[card]
        if strength and card[0] != led:
            return 100 + (-strength if self.reverse else strength)
        return strength


class Table:
    """What a seat knows when it is to play, and what it has counted."""

    def __init__(self, view: dict[str, Any], cards: list[str], rules: Rules) -> None:
        self.rules = rules
        self.me = view["seat"]
        self.seats = len(view["scores"])
        self.leader = view["leader"]
        self.trick: list[str] = view["trick"]
        self.hand: list[str] = view["hand"]
        self.to_come = self.seats - len(self.trick) - 1
        self.coming = [(self.me + 1 + i) % self.seats for i in range(self.to_come)]
        laid = view.get("designated") or [None] * self.seats
        seen = {*self.hand, *self.trick, *view.get("left_over", ())}
        self.piles: list[list[str]] = [[] for _ in range(self.seats)]
        for trick in view["tricks"]:
            seen.update(trick["cards"])
            if trick["winner"] is not None:
                self.piles[trick["winner"]] += trick["cards"]
        for row in laid:
            seen.update(row or ())
        self.unseen = [card for card in cards if card not in seen]
        self.specials = ["".join(card[0] for card in row) if row else None for row in laid]
        """The special colours of each seat, None if they are not known or not yet named."""
        self.share = min(1.0, len(self.hand) / max(1, len(self.unseen)))
        """The chance that a certain unseen card is in a certain hand."""
        self.numbers = sorted(NUMBER[card] for card in self.unseen)
        self.zeros = bisect_right(self.numbers, 0)
        self.against: dict[str, list[int]] = {}
        self.so_far = [self.value(self.trick, seat) for seat in range(self.seats)]
        self.gift_cards = [
            [c for c in self.unseen if c[0] in colours] if colours else []
            for colours in self.specials
        ]

    def beating(self, strength: int, led: str) -> int:
        """How many unseen cards beat this strength."""
        if led not in self.against:
            self.against[led] = sorted(self.rules.strength(c, led) for c in self.unseen)
        return len(self.unseen) - bisect_right(self.against[led], strength)

    def power(self, card: str) -> float:
        """The share of the unseen cards that do not beat a card when both are trumps."""
        number = NUMBER[card]
        if not number or not self.unseen:
            return 0.0 if not number else 1.0
        if self.rules.reverse:
            over = bisect_left(self.numbers, number) - self.zeros
        else:
            over = len(self.numbers) - bisect_right(self.numbers, number)
        return 1 - over / len(self.unseen)

    def value(self, cards: list[str], seat: int) -> float:
        """What a seat gets for winning these cards, as far as is known."""
        rules = self.rules
        if rules.delayed:
            return rules.named(self.piles[seat] + cards) - rules.named(self.piles[seat])
        colours = self.specials[seat]
        if colours is None:  # with Hazy: any colour is as likely as another
            chance = rules.specials / len(rules.colours)
            return sum(chance * rules.special(c) - (1 - chance) * rules.sign for c in cards)
        return rules.worth(cards, colours)

    def value_with(self, card: str, seat: int) -> float:
        """What a seat gets for winning the trick with this card added."""
        if self.rules.delayed:
            return self.value([*self.trick, card], seat)
        return self.so_far[seat] + self.value([card], seat)

    def gift(self, seat: int, limit: int, led: str) -> float:
        """What the next one to play can be expected to throw in for a seat that is winning."""
        colours, rules = self.specials[seat], self.rules
        if colours is None or rules.reverse:
            return -1.0
        chance, expected = 1.0, 0.0
        cards = [c for c in self.gift_cards[seat] if rules.strength(c, led) <= limit]
        # The worst one that somebody holds.
        for worth in sorted(map(rules.special, cards)):
            expected += chance * self.share * worth
            chance *= 1 - self.share
        return expected


def choose(
    kind: str, options: list[str], view: dict[str, Any], variant: str, cards: list[str]
) -> str:
    """The answer to a question of this kind: the option with the best weighted sum."""
    found = scores(kind, options, view, variant, cards)
    return options[found.index(max(found))]


def scores(
    kind: str, options: list[str], view: dict[str, Any], variant: str, cards: list[str]
) -> list[float]:
    """What speaks for each option."""
    rules = Rules(variant, cards)
    if kind == "delayed":
        won = [c for t in view["tricks"] if t["winner"] == view["seat"] for c in t["cards"]]
        return [rules.worth(won, colours) for colours in options]
    if kind == "designate":
        hand = view["hand"]
        numbers = [designating(option.split("+"), hand, cards, rules) for option in options]
        weights = DESIGNATE
    else:
        table = Table(view, cards, rules)
        numbers = [trick_part(card, table) + hand_part(card, table) for card in options]
        weights = PLAY
    by = [reverse if rules.reverse else plain for _, plain, reverse in weights]
    return [sum(map(mul, by, row)) for row in numbers]


def designating(option: list[str], hand: list[str], cards: list[str], rules: Rules) -> list[float]:
    """What counts about laying down these cards."""
    colours = "".join(card[0] for card in option)
    rest = [NUMBER[c] for c in hand if c[0] in colours and c not in option]
    highest = max(map(NUMBER.__getitem__, cards))
    return [
        rules.worth(option, colours),
        len(rest),
        sum((n / highest) ** 3 for n in rest),
        sum(n == highest for n in rest),
        sum(NUMBER[card] == 0 for card in option),
    ]


DESIGNATE = [
    ("what the cards laid down count", 1, 1),
    ("how many others we have of their colours", 1.5, -0.5),
    ("the high ones among them", -4, 0),
    ("the highest of all", -4, 0),
    ("a 0 that is laid down", -2, 0),
]
"""What each number counts, plain and with Reverse."""


def trick_part(card: str, table: Table) -> list[float]:
    """What can be expected of the trick."""
    rules, seats = table.rules, table.seats
    trick = [*table.trick, card]
    led = trick[0][0]
    strengths = [rules.strength(c, led) for c in trick]
    best = max(strengths)
    taker = (table.leader + strengths.index(best)) % seats
    share = table.beating(best, led) / max(1, len(table.unseen))
    can = 1 - (1 - share) ** len(table.hand)
    gift = table.gift(taker, best, led) if table.to_come else 0.0
    hold, gifts, others = 1.0, 0.0, 0.0
    for seat in table.coming:
        value = table.value_with(card, seat)
        takes = hold * can / (1 + exp(-value / 2))  # who can, does so if it is worth while
        hold -= takes
        gifts += hold * gift
        others += takes * value / (seats - 1)
    value = hold * table.value_with(card, taker)
    if taker == table.me:
        return [value, hold * table.to_come, gifts, hold, others, 0.0, 0.0]
    return [0.0, 0.0, 0.0, 0.0, others, value / (seats - 1), gifts / (seats - 1)]


def hand_part(card: str, table: Table) -> list[float]:
    """What the card could still do: strong ones win tricks, special ones hurt somebody."""
    special, me = table.rules.special(card), table.me
    power = table.power(card)
    hurt = [s != me and card[0] in (c or "") for s, c in enumerate(table.specials)]
    gift = special * sum(hurt) / (table.seats - 1)
    own = special if card[0] in (table.specials[me] or "") else 0
    return [
        own * power,
        own * power**4,
        0.0 if own else power,
        0.0 if own else power**4 * len(table.hand) / 15,
        float(NUMBER[card] == 0),
        gift,
        gift * power,
    ]


PLAY = [
    ("what the trick counts, if we win it", 0.96, 0.9),
    ("the cards to come to it", 0.51, -0.5),
    ("what others can throw into it", 0.83, 0.84),
    ("winning, and so leading the next", -1, -1),
    ("what those to come win with it", -1, -1),
    ("what the seat that is winning gets", -1, -0.75),
    ("what others can throw in there", -1, -1),
    ("an own special card, the stronger it is", 0, -0.6),
    ("and if it is one of the strongest", -0.2, 1.37),
    ("strength of any other card", -0.3, -1),
    ("and if it is one of the strongest, early in the round", -1, 0),
    ("a 0", -0.5, -0.23),
    ("a special card of others", 0.35, -0.18),
    ("and its strength", -0.4, 0.37),
]
"""What each number counts, plain and with Reverse; found by playing rounds twice with different
cards."""
