"""Sticheln and Stick 'Em, with all modifiers."""

from typing import Any

HIGHEST = {3: 8, 4: 11, 5: 14, 6: 14, 7: 17, 8: 18}
"""The highest number in the game, by the number of seats."""

COLOURS = {"sticheln": "GNRBYV", "stick-em": "RYGBVE"}
"""The colours of the cards; the last one only from six seats on."""

GIFT = 3
"""What those who play after us make a trick worse by, each of them."""


class Rules:
    """What the modifiers in a variant's name change."""

    def __init__(self, variant: str, seats: int) -> None:
        self.reverse = "reverse" in variant
        self.mild = "mild" in variant
        self.delayed = "delayed" in variant
        self.specials = 2 if "aggravated" in variant else 1
        self.sign = 1 if self.reverse else -1
        self.colours = COLOURS[variant.split("+", maxsplit=1)[0]][: 5 if seats < 6 else 6]

    def special(self, card: str) -> int:
        """What a card of the own special colour counts."""
        return self.sign * (5 if self.mild else number(card))

    def worth(self, cards: list[str], colours: str) -> int:
        """What cards count for a seat with these special colours."""
        return sum(self.special(c) if c[0] in colours else -self.sign for c in cards)

    def named(self, cards: list[str]) -> int:
        """With Delayed: what cards count if the best colours are named."""
        change = dict.fromkeys(self.colours, 0)
        for card in cards:
            change[card[0]] += self.special(card) + self.sign
        return -self.sign * len(cards) + sum(sorted(change.values())[-self.specials :])

    def winner(self, trick: list[str]) -> int:
        """The place of the card that wins, as far as the trick has come."""
        led = trick[0][0]
        best, strongest = 0, 0
        for place, card in enumerate(trick):
            strength = number(card)
            if strength and card[0] != led:  # a trump
                strength = 100 + (-strength if self.reverse else strength)
            if strength > strongest:
                best, strongest = place, strength
        return best


def number(card: str) -> int:
    """The number of a card."""
    return int(card[1:])


def choose(kind: str, options: list[str], view: dict[str, Any], variant: str) -> str:
    """The answer to a question of this kind."""
    rules = Rules(variant, len(view["scores"]))
    if kind == "designate":
        return max(options, key=lambda option: designating(option.split("+"), view, rules))
    if kind == "delayed":
        won = pile(view, view["seat"])
        return max(options, key=lambda colours: rules.worth(won, colours))
    return max(options, key=lambda card: playing(card, view, rules))


def designating(cards: list[str], view: dict[str, Any], rules: Rules) -> float:
    """How good it is to lay these cards down, which then count as won.

    What else we hold of their colours nobody can throw into our tricks. But it must be got rid of,
    and that is hard for high cards.
    """
    colours = "".join(card[0] for card in cards)
    worth = rules.worth(cards, colours)
    if rules.reverse:
        return worth
    seats = len(view["scores"])
    others = [card for card in view["hand"] if card[0] in colours and card not in cards]
    burden = sum(4 * strength(card, seats, rules) ** 2 - 1 for card in others)
    lost = 0.1 * sum(map(number, cards))  # high cards win tricks
    return worth - burden - lost


def playing(card: str, view: dict[str, Any], rules: Rules) -> float:
    """How good it is to play a card: what it does in this trick, less what it could do later."""
    seats, me = len(view["scores"]), view["seat"]
    trick = [*view["trick"], card]
    to_come = seats - len(trick)
    taker = (view["leader"] + rules.winner(trick)) % seats
    later = keeping(card, view, rules)
    if taker != me:  # what hurts another seat is good for us, and more so with few seats
        return -value(trick, view, taker, rules) / (seats - 1) - later
    power = strength(card, seats, rules)
    if card[0] == trick[0][0]:  # every card of another colour beats it
        power *= 0.15
    hold = power ** (to_come / 2)  # half of the others do not even want the trick
    return hold * (value(trick, view, me, rules) - GIFT * to_come) - later


def keeping(card: str, view: dict[str, Any], rules: Rules) -> float:
    """What a card is good for later: strong ones win tricks, which hurts with a misery card."""
    power = strength(card, len(view["scores"]), rules)
    if rules.reverse:
        return 0.3 * power
    laid = view["designated"][view["seat"]] if "designated" in view else ()
    if any(card[0] == own[0] for own in laid):
        return 0.5 * power * rules.special(card)
    return power


def strength(card: str, seats: int, rules: Rules) -> float:
    """From 0 to 1: how hard a card is to beat for others as a trump."""
    share = number(card) / HIGHEST[seats]
    return 1 - share if rules.reverse and share else share


def value(cards: list[str], view: dict[str, Any], seat: int, rules: Rules) -> float:
    """What a seat gets for winning these cards."""
    if rules.delayed:
        won = pile(view, seat)
        return rules.named(won + cards) - rules.named(won)
    laid = view["designated"][seat] or ()  # with Hazy those of the others are not known
    return rules.worth(cards, "".join(card[0] for card in laid))


def pile(view: dict[str, Any], seat: int) -> list[str]:
    """The cards a seat has won in this round."""
    return [card for trick in view["tricks"] if trick["winner"] == seat for card in trick["cards"]]
