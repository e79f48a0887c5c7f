"""What both games of tricks need to play many rounds at once: hands as numbers of cards."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.games.determinize import unseen_cards
from arena.games.tricks import TrickGame

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


CALL, CARD = 7e-5, 6e-8
"""Seconds that a decision costs for all worlds together, and a card to look at in each of them."""


def playouts(seconds: float, decisions: float, cards: float) -> int:
    """How many playouts of so many decisions, with so many cards to look at, can be had."""
    return int((seconds - CALL * decisions) / (CARD * cards))


class Deck:
    """The cards of a game as numbers."""

    def __init__(self, game: TrickGame[Any]) -> None:
        self.seats = game.seats
        self.cards = game.cards
        self.index = {card: at for at, card in enumerate(game.cards)}
        self.number = np.array([int(card[1:]) for card in game.cards])
        self.colours = list(dict.fromkeys(card[0] for card in game.cards))
        self.colour = np.array([self.colours.index(card[0]) for card in game.cards])

    def numbers(self, cards: Sequence[str]) -> Ints:
        """These cards as numbers."""
        return np.array([self.index[card] for card in cards], dtype=np.intp)


class Hands:
    """The hands of all seats in many worlds; whoever plays has one place less from then on."""

    def __init__(self, cards: Ints) -> None:
        self.cards = cards
        self.rows = np.arange(len(cards))

    def held(self, seat: Ints, size: int) -> Ints:
        """The cards that a seat holds, another seat in every world."""
        held: Ints = self.cards[self.rows, seat, :size]
        return held

    def take(self, seat: Ints, held: Ints, place: Ints) -> Ints:
        """The card at this place of what a seat holds, which leaves its hand."""
        card: Ints = held[self.rows, place]
        self.cards[self.rows, seat, place] = held[:, -1]
        return card

    def play(self, seat: Ints, card: Ints, size: int) -> Ints:
        """Let a card leave the hand of a seat that holds so many."""
        held = self.held(seat, size)
        return self.take(seat, held, (held == card[:, None]).argmax(axis=1))


def deal(
    game: TrickGame[Any], deck: Deck, view: Any, count: int, chance: np.random.Generator
) -> tuple[Ints, int]:
    """Hands in so many worlds that agree with a view, and how many cards who is to play holds.

    Who has played to the trick has one card less, and that card in the last place.
    Cards that lie face down are still in the hands, in the places after those.
    """
    seats, size = game.seats, len(view.hand)
    hidden = [laid is None for laid in view.designated] or [False] * seats
    down = max([len(laid) for laid in view.designated if laid], default=0) if any(hidden) else 0
    pool = deck.numbers(unseen_cards(game, view))
    pool = pool[chance.random((count, len(pool))).argsort(axis=1)]
    hands = np.zeros((count, seats, size + down), dtype=np.intp)
    order = game.clockwise_from[view.leader]
    played = dict(zip(order, deck.numbers(view.trick), strict=False))
    cut = 0
    for seat in range(seats):
        if seat == view.seat:
            hands[:, seat, :size] = deck.numbers(view.hand)
            continue
        own = size - (seat in played)
        hands[:, seat, :own] = pool[:, cut : cut + own]
        cut += own
        if seat in played:
            hands[:, seat, own] = played[seat]
        if hidden[seat]:
            hands[:, seat, size:] = pool[:, cut : cut + down]
            cut += down
    return hands, size


def ahead(points: Floats, seat: int) -> Floats:
    """How much more a seat has than the others on average, in every world."""
    mine = points[:, seat]
    others = (points.sum(axis=1) - mine) / (points.shape[1] - 1)
    gain: Floats = mine - others
    return gain
