"""Playing on in Hat Trick: many worlds at once, all seats by a glance at the table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tricks
from search import Question
from tricks import Deck, Floats, Hands, Ints, deal

from arena.games.hat_trick import HatTrickGame
from arena.reference.counter import hat_trick as counted

RANKS = "GBR"
"""The colours, the one before the others last."""


class Taste(NamedTuple):
    """What a seat goes by."""

    passing: float = 2.0
    """What a pass costs."""
    later: float = 0.4
    """How many cards each of those who come later adds to a trick."""
    keep: float = 1.3
    """What the highest card of the colour that is collected is good for later."""
    rid: float = 1.9
    """What it is worth to be rid of the highest card of another colour."""
    hold: float = 0.7
    """How eager those who come later are to win a trick."""
    other: float = 1.3
    """What it costs to win a card of another colour."""
    sharp: float = 1.6
    """How much less the middling cards are good for."""
    early: float = 1.1
    """How much more the highest card is good for, the more cards are left."""
    gift: float = 0.1
    """What it counts if another seat gets or loses a point."""


GLANCE = Taste()
HELD = 1.0
"""What the highest card in the hand counts beside one that is won, for the colour to collect."""
NOISE = 0.2
MOODS = 8
"""How many tastes there are, which differ by a little chance in what they keep."""


class Policy:
    """How the seats play on, with tables for a table of this size."""

    def __init__(self, game: HatTrickGame, tastes: Sequence[Taste] = ()) -> None:
        self.game = game
        self.deck = deck = Deck(game)
        self.size = len(deck.cards)
        self.rank = np.array([RANKS.index(colour) for colour in deck.colours])
        self.power = deck.number / 20
        tastes = tastes or [GLANCE] * MOODS
        self.moods = len(tastes)
        chance, noise = np.random.default_rng(1), NOISE if self.moods == MOODS else 0.0
        aim = deck.colour == np.arange(3)[:, None]
        self.keep = np.concatenate(
            [
                np.where(aim, t.keep, -t.rid) * self.power**t.sharp
                + noise * chance.standard_normal(self.size)
                for t in tastes
            ]
        ).ravel()
        """What each card is good for later, by taste and by the colour a seat collects."""
        self.early = np.concatenate(
            [np.where(aim, t.early, 0.0) * self.power**t.sharp for t in tastes]
        ).ravel()
        self.holds = np.array(
            [[self.power ** (t.hold * k) for k in range(game.seats)] for t in tastes]
        ).ravel()
        """How likely a card stays the highest with so many seats to come."""
        self.sign = np.concatenate([np.where(aim, 1.0, -t.other) for t in tastes]).ravel()
        self.passing = np.array([t.passing for t in tastes])
        self.later = np.array([t.later for t in tastes])
        self.gift = np.array([t.gift / (game.seats - 1) for t in tastes])
        self.hope = HELD * self.power**2
        self.hopes = self.hope * aim
        """What a card in the hand counts for collecting each colour."""

    def glance(self, question: Question) -> dict[str, float]:
        """What the counter thinks of the cards, in points."""
        table = counted.Table(question.raw, list(self.game.cards))
        return {card: counted.score(card, table) for card in question.options}

    def playouts(self, question: Question, seconds: float) -> int:
        """How many playouts can be had in this time."""
        seats, size = self.game.seats, len(question.view.hand)
        return tricks.playouts(seconds, 2 * size * seats, 0.75 * size * (size + 1) * seats)

    def values(
        self, question: Question, options: Sequence[str], count: int, chance: np.random.Generator
    ) -> Floats:
        """What each option brings in each of so many worlds, more than the others get."""
        view, deck, times = question.view, self.deck, len(options)
        cards, size = deal(self.game, deck, view, count, chance)
        mood = chance.integers(0, self.moods, (count, self.game.seats))
        hands = Hands(np.tile(cards, (times, 1, 1)))
        batch = Batch(self, hands, np.tile(mood, (times, 1)), size, view)
        for place, card in enumerate(view.trick):
            at = self.game.clockwise_from[view.leader][place]
            batch.put(np.full(times * count, at), np.full(times * count, deck.index[card]))
        me = np.full(times * count, view.seat)
        batch.put(me, hands.play(me, np.repeat(deck.numbers(options), count), size))
        return tricks.ahead(batch.finish(), view.seat).reshape(times, count)


class Batch:
    """Rounds of many worlds that are played at once."""

    def __init__(self, policy: Policy, hands: Hands, mood: Ints, size: int, view: Any) -> None:
        self.policy = policy
        self.hands = hands
        self.rows = rows = hands.rows
        self.mood = mood
        self.size = size
        self.seats = seats = policy.game.seats
        self.leader = np.full(len(rows), view.leader)
        self.won = np.zeros((len(rows), seats, 3))
        """How many cards each seat has won of each colour."""
        self.passed = np.zeros((len(rows), seats))
        for trick in view.tricks:
            order = policy.game.clockwise_from[trick.leader]
            for seat, card, taker in zip(order, trick.cards, trick.takers, strict=True):
                if taker is None:
                    self.passed[:, seat] += 1
                else:
                    self.won[:, taker, policy.deck.colours.index(card[0])] += 1
        held = hands.cards[:, :, :size]
        self.hopes = np.stack([hope.take(held).sum(axis=2) for hope in policy.hopes], axis=2)
        """What the cards in the hands count for collecting each colour."""
        self.begin()

    def begin(self) -> None:
        """A trick begins: the colours the seats collect, and what lies on the table."""
        self.aims = (self.won + self.hopes).argmax(axis=2)
        worlds = len(self.rows)
        self.best = np.full((worlds, 3), -1)
        self.taker = np.zeros((worlds, 3), dtype=np.intp)
        self.count = np.zeros((worlds, 3))
        self.claims = np.full((worlds, self.seats), -1)
        """The number and the colour of each card that is no pass."""
        self.open = np.zeros(worlds, dtype=np.intp)
        """How many colours there are in the trick."""
        self.laid = 0

    def put(self, seat: Ints, card: Ints) -> None:
        """A seat plays a card, another one in every world."""
        deck, rows = self.policy.deck, self.rows
        colour, number = deck.colour[card], deck.number[card]
        best = self.best[rows, colour]
        joins = (best >= 0) | (self.open < 2)
        better = joins & (number > best)
        self.best[rows, colour] = np.where(better, number, best)
        self.taker[rows, colour] = np.where(better, seat, self.taker[rows, colour])
        self.count[rows, colour] += joins
        self.open += joins & (best < 0)
        self.hopes[rows, seat, colour] -= self.policy.hope[card]
        self.passed[rows, seat] += ~joins
        self.claims[rows, seat] = np.where(joins, 3 * number + self.policy.rank[colour], -1)
        self.laid += 1
        if self.laid == self.seats:
            self.close()

    def close(self) -> None:
        """The trick is complete."""
        for colour in range(3):
            self.won[self.rows, self.taker[:, colour], colour] += self.count[:, colour]
        numbers = self.claims // 3
        lone = (numbers[:, :, None] == numbers[:, None, :]).sum(axis=2) == 1
        self.leader = (self.claims + 1000 * (lone & (self.claims >= 0))).argmax(axis=1)
        self.size -= 1
        self.begin()

    def finish(self) -> Floats:
        """Play the rest but for the last card, and count what everybody has in this round."""
        while self.size > 1:
            seat = (self.leader + self.laid) % self.seats
            held = self.hands.held(seat, self.size)
            self.put(seat, self.hands.take(seat, held, self.score(seat, held).argmax(axis=1)))
        points: Floats = 2 * self.won.max(axis=2) - self.won.sum(axis=2) - 2 * self.passed
        return points

    def score(self, seat: Ints, held: Ints) -> Floats:
        """How good it is to play each card."""
        policy, rows = self.policy, self.rows
        to_come = self.seats - self.laid - 1
        mood, aim = self.mood[rows, seat], self.aims[rows, seat]
        at = ((3 * mood + aim) * policy.size)[:, None] + held
        keep = policy.keep.take(at) + policy.early.take(at) * (self.size / 15)
        coming = (1 + policy.later[mood] * to_come)[:, None]
        holds = policy.holds.take(((mood * self.seats + to_come) * policy.size)[:, None] + held)
        if not self.laid:
            led: Floats = holds * coming * policy.sign.take(at) - keep
            return led
        colour = policy.deck.colour.take(held)
        pile = (3 * rows)[:, None] + colour
        best = self.best.take(pile)
        wins = holds * (self.count.take(pile) + coming) * policy.sign.take(at)
        full = (self.open == 2)[:, None]
        wins = np.where((best < 0) & full, -policy.passing[mood][:, None], wins)
        aims = self.aims[rows[:, None], self.taker]
        gifts = np.where(aims == np.arange(3), -1.0, 1.0) * policy.gift[mood][:, None]
        score: Floats = (
            np.where(policy.deck.number.take(held) > best, wins, gifts.take(pile)) - keep
        )
        return score
