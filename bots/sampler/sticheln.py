"""Playing on in Sticheln and Stick 'Em: many worlds at once, all seats by a glance at the table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tricks
from search import Question
from tricks import Deck, Floats, Hands, Ints, deal

from arena.games.base import DELAYED, DESIGNATE
from arena.games.sticheln_engine import StichelnGame
from arena.reference.counter import sticheln as counted


class Taste(NamedTuple):
    """What a seat goes by."""

    led: float = 0.24
    """How much weaker a card of the led colour is than the same number as a trump."""
    hold: float = 0.5
    """How eager those who come later are to win a trick."""
    risk: float = 5.0
    """What each of those who come later does to who wins."""
    keep: float = 0.6
    """What the strongest card is good for later."""
    early: float = -0.1
    """How much more, the more cards are left."""
    own: float = 0.3
    """What a point on a card of an own special colour counts as long as it is in the hand."""
    danger: float = 3.0
    """What it costs to lead the highest card of an own special colour: others may follow."""
    spite: float = 1.4
    """What it counts if another seat gets a point."""
    gift: float = -0.12
    """What a point counts on a card in the hand that is bad for others."""
    lead: float = -0.5
    """What it costs to win a trick and lead the next one."""
    sharp: float = 1.6
    """How much less the middling cards are good for."""


PLAIN, REVERSE = Taste(), Taste(0.6, 0.35, 1.4, 0.1, 0.0, 0.6, 0.0, 0.7, 0.0, 0.1, 1.0)
NOISE = 0.3
MOODS = 8
"""How many tastes there are, which differ by a little chance in what they keep."""
HELD = 0.3
"""What a card in the hand counts beside one that is won, for the colours to be named."""
SLOWER = 2.2
"""How much more time a playout takes with Delayed."""
DOUBT = 1.5
"""How far the others may be from our opinion about what to lay down."""


class Policy:
    """How the seats play on, with tables for a table of this size."""

    def __init__(self, game: StichelnGame, tastes: Sequence[Taste] = ()) -> None:
        self.game = game
        self.reverse = game.rules.trump(1) > game.rules.trump(2)
        self.delayed = DELAYED in game.phases
        self.nobody = game.rules.zeros(0) is None
        self.down = len(game.rules.colours((game.cards[0], game.cards[-1]))[0].split("+"))
        self.deck = deck = Deck(game)
        self.size = len(deck.cards)
        led = {card[0]: card for card in game.cards}
        self.strength = np.array(
            [[game.strengths[led[c]][card] for card in deck.cards] for c in deck.colours]
        ).ravel()
        self.specials = list(game.card_points)
        points = np.array([[row[card] for card in deck.cards] for row in game.card_points.values()])
        self.points = points.astype(float).ravel()
        self.change = points[[self.specials.index((c,)) for c in deck.colours]] - points[0]
        """What it changes to make each colour special, for every card."""
        share = deck.number / deck.number.max()
        self.power = np.where(share > 0, 1 - share, 0.0) if self.reverse else share
        # A single colour is a pair with itself.
        self.pairs = np.zeros((len(deck.colours), len(deck.colours)), dtype=np.intp)
        for at, special in enumerate(self.specials):
            if special:
                one, other = deck.colours.index(special[0]), deck.colours.index(special[-1])
                self.pairs[one, other] = self.pairs[other, one] = at
        self.lay_tables()
        chance = np.random.default_rng(1)
        tastes = tastes or [REVERSE if self.reverse else PLAIN] * MOODS
        noise = NOISE if len(tastes) == MOODS else 0.0
        self.moods = len(tastes)
        tables = [self.table(taste, noise * chance.standard_normal(self.size)) for taste in tastes]
        self.keep, self.lead, self.early = (
            np.concatenate([table[at] for table in tables]).ravel() for at in range(3)
        )
        self.holds = np.concatenate([self.hold(taste) for taste in tastes]).ravel()
        self.risk = np.array([taste.risk for taste in tastes])
        self.spite = np.array([taste.spite / (game.seats - 1) for taste in tastes])
        self.leads = np.array([taste.lead for taste in tastes])

    def table(self, taste: Taste, noise: Floats) -> tuple[Floats, Floats, Floats]:
        """What keeping and leading each card is worth, by special colours."""
        points = self.points.reshape(len(self.specials), self.size)
        own = np.array([[card[0] in s for card in self.deck.cards] for s in self.specials])
        gift = np.clip(
            -self.change.max(axis=0) if self.reverse else -self.change.min(axis=0), 0, 99
        )
        strong = self.power**taste.sharp
        value = taste.keep * strong
        mine = taste.own * points * (1 if self.reverse else self.power)
        keep = noise + np.where(own, mine, value + taste.gift * gift)
        lead = -keep - np.where(own, taste.danger * self.power, 0.0)
        early = np.where(own, 0.0, taste.early * strong)
        return keep, lead, early

    def hold(self, taste: Taste) -> Floats:
        """How likely each card stays the best, by how many are to come and the colour led."""
        colours = np.arange(len(self.deck.colours))[:, None]
        weak = np.where(self.deck.colour == colours, taste.led, 1.0) * self.power
        weak = np.clip(weak, 1e-9, 1)
        return np.array([[weak ** (taste.hold * k) for k in range(self.game.seats)]])

    def lay_tables(self) -> None:
        """What laying down each card is worth, and what each further one of its colour."""
        weights = [row[2 if self.reverse else 1] for row in counted.DESIGNATE]
        share = self.deck.number / self.deck.number.max()
        self.further = weights[1] + weights[2] * share**3 + weights[3] * (share == 1)
        own = np.array([self.game.rules.points(card, card[0]) for card in self.deck.cards])
        self.laid = weights[0] * own - self.further + weights[4] * (share == 0)

    def lay(self, hands: Hands, seat: Ints, size: int, chance: np.random.Generator) -> list[Ints]:
        """The cards that a seat lays down, another seat in every world."""
        held, taken = hands.held(seat, size), []
        colour, further = self.deck.colour[held], self.further[held]
        score = self.laid[held] + DOUBT * chance.standard_normal(held.shape)
        for at in range(len(self.deck.colours)):
            same = colour == at
            score += same * (same * further).sum(axis=1, keepdims=True)
        for _ in range(self.down):
            place = score.argmax(axis=1)
            taken.append(hands.take(seat, held, place))
            score[colour == colour[hands.rows, place][:, None]] = -1e9
            # The last card has moved to the place that is free now.
            for row in (held, colour, score):
                row[hands.rows, place] = row[:, -1]
            held, colour, score = held[:, :-1], colour[:, :-1], score[:, :-1]
        return taken

    def special(self, laid: Sequence[Ints]) -> Ints:
        """The special colours that these cards make, as a number."""
        colours = [self.deck.colour[card] for card in laid]
        found: Ints = self.pairs[colours[0], colours[-1]]
        return found

    def glance(self, question: Question) -> dict[str, float]:
        """What the counter thinks of the options, in points; of colours to name only the best."""
        kind, options, _, raw = question
        scores = counted.scores(kind, list(options), raw, self.game.variant, list(self.game.cards))
        if kind == DELAYED:
            return {options[scores.index(max(scores))]: 0.0}
        return dict(zip(options, scores, strict=True))

    def playouts(self, question: Question, seconds: float) -> int:
        """How many playouts can be had in this time."""
        seats, size = self.game.seats, len(question.view.hand)
        seconds /= SLOWER if self.delayed else 1
        return tricks.playouts(seconds, size * seats, size * (size + 1) / 2 * seats)

    def values(
        self, question: Question, options: Sequence[str], count: int, chance: np.random.Generator
    ) -> Floats:
        """What each option brings in each of so many worlds, more than the others get."""
        view, seats = question.view, self.game.seats
        cards, size = deal(self.game, self.deck, view, count, chance)
        special = self.others(Hands(cards), size, question, chance)
        mood = chance.integers(0, self.moods, (count, seats))
        times = len(options)
        hands = Hands(np.tile(cards, (times, 1, 1)))
        special, mood = np.tile(special, (times, 1)), np.tile(mood, (times, 1))
        me = np.full(times * count, view.seat)
        points = np.zeros((times * count, seats))
        parts = [option.split("+") for option in options]
        chosen = [np.repeat(self.deck.numbers(part), count) for part in zip(*parts, strict=True)]
        if question.kind == DESIGNATE:
            special[:, view.seat] = own = self.special(chosen)
            for card in chosen:
                hands.play(me, card, size)
                size -= 1
                points[:, view.seat] += self.points[own * self.size + card]
            points += Batch(self, hands, (special, mood), size, view).finish()
        else:
            batch = Batch(self, hands, (special, mood), size, view)
            order = self.game.clockwise_from[view.leader]
            for seat, played in zip(order, self.deck.numbers(view.trick), strict=False):
                batch.put(np.full(len(me), seat), np.full(len(me), played))
            batch.put(me, hands.play(me, chosen[0], size))
            points += batch.finish()
        return tricks.ahead(points, view.seat).reshape(times, count)

    def others(
        self, hands: Hands, size: int, question: Question, chance: np.random.Generator
    ) -> Ints:
        """The special colours in each world: what lies face down is what may well lie there."""
        view, count = question.view, len(hands.rows)
        special = np.zeros((count, self.game.seats), dtype=np.intp)
        played = self.game.clockwise_from[view.leader][: len(view.trick)]
        designated = view.designated
        if question.kind == DESIGNATE:
            designated = [() if seat == view.seat else None for seat in range(self.game.seats)]
        for seat, laid in enumerate(designated):
            if laid:
                special[:, seat] = self.special([self.deck.numbers([card]) for card in laid])
            elif laid is None:
                held = size - (seat in played)
                down = hands.cards.shape[2] - size
                # The cards that lie face down were dealt behind the hand.
                hands.cards[:, seat, held : held + down] = hands.cards[:, seat, size:].copy()
                full = np.full(count, seat)
                special[:, seat] = self.special(self.lay(hands, full, held + down, chance))
        return special


class Batch:
    """Rounds of many worlds that are played at once."""

    def __init__(
        self, policy: Policy, hands: Hands, minds: tuple[Ints, Ints], size: int, view: Any
    ) -> None:
        self.policy = policy
        self.hands = hands
        self.rows = hands.rows
        self.special, self.mood = minds
        """The special colours of each seat, and its taste."""
        self.size = size
        self.seats = policy.game.seats
        self.leader = np.full(len(self.rows), view.leader)
        self.points = np.zeros((len(self.rows), self.seats))
        self.won = np.zeros((len(self.rows), self.seats, len(policy.deck.colours), 2))
        """With Delayed: what naming each colour changes, and how many cards there are of it."""
        if policy.delayed:
            for trick in view.tricks:
                if trick.winner is not None:
                    for card in policy.deck.numbers(trick.cards):
                        colour = policy.deck.colour[card]
                        self.won[:, trick.winner, colour] += policy.change[colour, card], 1
            held = hands.cards[:, :, :size]
            hopes = [HELD * change.take(held).sum(axis=2) for change in policy.change]
            self.hopes = np.stack(hopes, axis=2)
            """What the cards in the hands would change if they were won."""
            self.guess()
        self.begin()

    def begin(self) -> None:
        """A trick begins."""
        self.trick: list[Ints] = []
        self.best = np.full(len(self.rows), -1)
        self.worth = np.zeros(self.points.shape)
        """What the trick counts for each seat."""

    def guess(self) -> None:
        """With Delayed: the colours each seat would name by what it has won and holds."""
        policy = self.policy
        order = (self.won[..., 0] + self.hopes).argsort(axis=2)
        self.special = policy.pairs[order[:, :, -1], order[:, :, -policy.down]]

    def put(self, seat: Ints, card: Ints) -> None:
        """A seat plays a card, another one in every world."""
        policy = self.policy
        if not self.trick:
            self.led = policy.deck.colour[card]
            self.taker = seat
        strength = policy.strength[self.led * policy.size + card]
        better = strength > self.best
        self.best = np.where(better, strength, self.best)
        self.taker = np.where(better, seat, self.taker)
        self.worth += policy.points.take(self.special * policy.size + card[:, None])
        self.trick.append(card)
        if policy.delayed:
            colour = policy.deck.colour[card]
            self.hopes[self.rows, seat, colour] -= HELD * policy.change[colour, card]
        if len(self.trick) == self.seats:
            self.close()

    def close(self) -> None:
        """The trick is complete."""
        policy, rows = self.policy, self.rows
        if policy.nobody:
            self.worth[self.best == 0] = 0
        if policy.delayed:
            taken = (self.best > 0) if policy.nobody else True
            for card in self.trick:
                colour = policy.deck.colour[card]
                self.won[rows, self.taker, colour, 0] += policy.change[colour, card] * taken
                self.won[rows, self.taker, colour, 1] += taken
        else:
            self.points[rows, self.taker] += self.worth[rows, self.taker]
        self.leader = self.taker
        self.size -= 1
        self.begin()
        if policy.delayed and self.size:
            self.guess()

    def finish(self) -> Floats:
        """Play the rest, and count what everybody gets for it."""
        while self.size:
            seat = (self.leader + len(self.trick)) % self.seats
            held = self.hands.held(seat, self.size)
            if self.size == 1:
                self.put(seat, held[:, 0])
                continue
            score = self.following(seat, held) if self.trick else self.leading(seat, held)
            self.put(seat, self.hands.take(seat, held, score.argmax(axis=1)))
        if self.policy.delayed:
            change = np.where(self.won[..., 1] > 0, self.won[..., 0], -1e6)
            top = np.sort(change, axis=2)[:, :, -self.policy.down :]
            rest = self.won[..., 1].sum(axis=2) * self.policy.points[0]
            self.points = rest + np.where(top > -1e5, top, 0).sum(axis=2)
        return self.points

    def leading(self, seat: Ints, held: Ints) -> Floats:
        """How good it is to lead each card."""
        policy, rows = self.policy, self.rows
        mine = self.mood[rows, seat] * len(policy.specials) + self.special[rows, seat]
        at = (mine * policy.size)[:, None] + held
        return policy.lead.take(at) - policy.early.take(at) * (self.size / 15)

    def following(self, seat: Ints, held: Ints) -> Floats:
        """How good it is to play each card to the trick on the table."""
        policy, rows, size = self.policy, self.rows, self.policy.size
        to_come = self.seats - len(self.trick) - 1
        mood, special, taker = self.mood[rows, seat], self.special[rows, seat], self.taker
        at = ((mood * len(policy.specials) + special) * size)[:, None] + held
        keep = policy.keep.take(at) + policy.early.take(at) * (self.size / 15)
        strength = policy.strength.take((self.led * size)[:, None] + held)
        gets = policy.points.take((self.special[rows, taker] * size)[:, None] + held)
        gets += self.worth[rows, taker][:, None]
        gets *= -policy.spite[mood][:, None]
        wins = policy.points.take((special * size)[:, None] + held)
        wins += (self.worth[rows, seat] - policy.risk[mood] * to_come)[:, None]
        if to_come:
            colours = len(policy.deck.colours)
            of = ((mood * self.seats + to_come) * colours + self.led) * size
            wins *= policy.holds.take(of[:, None] + held)
        wins -= policy.leads[mood][:, None]
        score: Floats = np.where(strength > self.best[:, None], wins, gets) - keep
        return score
