"""Playing on in Was sticht: a cheap policy for draft, tasks and tricks."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from search import Question

from arena.cards import NUMBER
from arena.games.base import DISCARD, PICK, PLAY, TASK, TOKEN
from arena.games.determinize import sample_state
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.state import Trumps
from arena.reference.counter import was_sticht as counted
from arena.reference.counter.was_sticht import EASY

TRICKS = {
    "exactly_1": 1.0,
    "exactly_2": 2.0,
    "exactly_3": 3.0,
    "exactly_4": 4.0,
    "fewest_tricks": 0.5,
    "last_trick": 3.0,
    "most_tricks": 5.0,
    "no_blue": 1.0,
    "no_green": 1.0,
    "no_red": 1.0,
    "no_trick": 0.0,
    "no_yellow": 1.0,
}
"""How many tricks a hand should win for a task."""
EXACT = {"exactly_1": 1, "exactly_2": 2, "exactly_3": 3, "exactly_4": 4}
HARD = {task: 1 + 0.02 * place for place, task in enumerate(EASY)}
"""What it is worth to be rid of a token: a hard one a little more."""
NOISE = 0.15
SLIP = 0.1
"""How often a seat plays any card, so that playouts differ."""
LIKED = 0.2
"""How much better the counter's choice seems."""
STEP = 8e-6
"""Seconds that a decision in a playout costs, on a slow machine."""
OVERHEAD = 4
"""What a playout costs besides, in decisions."""


class Deal:
    """A shuffle that gives every world other trumps; later rounds are never looked at."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def __call__(self, _draw: int, items: Sequence[Any], /) -> Sequence[Any]:
        """The items in a new order."""
        return self.chance.sample(items, len(items))


class Policy:
    """How the seats play on at a table of this size."""

    def __init__(self, game: WasStichtGame) -> None:
        self.game = game
        self.powers = {trumps: self.power(trumps) for trumps in game.rankings}
        """About how likely each card is to win a trick, by the trumps."""

    def power(self, trumps: Trumps) -> dict[str, float]:
        """About how likely each card is to win a trick under these trumps."""
        powers = {}
        for card, strengths in self.game.rankings[trumps].strength.items():
            strong, number = strengths[card], NUMBER[card]
            if strong >= 200:
                powers[card] = 0.95
            elif strong > 100:
                powers[card] = 0.5 + 0.05 * number
            else:
                powers[card] = max(0.0, 0.15 * (number - 4))
        return powers

    def glance(self, question: Question) -> dict[str, float]:
        """All options, the counter's choice before the others; of tokens nothing but that."""
        kind, options, _, raw = question
        choice = counted.choose(kind, list(options), raw)
        if kind in {TOKEN, DISCARD}:
            return {choice: 0.0}
        return {option: LIKED if option == choice else 0.0 for option in options}

    def playouts(self, question: Question, seconds: float) -> int:
        """How many playouts can be had in this time."""
        view = question.view
        cards = sum(map(len, view.hands))
        left = cards if view.phase == PLAY else 18 * self.game.seats - cards
        return int(seconds / STEP / (left + OVERHEAD))

    def values(
        self, question: Question, options: Sequence[str], count: int, chance: np.random.Generator
    ) -> NDArray[np.float64]:
        """What each option brings in each of so many worlds, more than the others get."""
        seat, deal = question.view.seat, Deal(Random(int(chance.integers(1 << 62))))
        values = np.zeros((len(options), count))
        for at in range(count):
            made, mood = sample_state(self.game, question.view, deal), deal.chance.getrandbits(16)
            asked = [decision.seat for decision in made.pending]
            choices = self.tasks(made, Random(mood)) if len(asked) > 1 else [""]
            for row, option in enumerate(options):
                choices[asked.index(seat)] = option
                points = self.playout(self.game.apply(made, choices), made.round.number, mood)
                others = (sum(points) - points[seat]) / (self.game.seats - 1)
                values[row, at] = points[seat] - others
        return values

    def tasks(self, state: Any, chance: Random) -> list[str]:
        """What all seats choose as their tasks."""
        return [self.task(state, d.seat, d.options, chance) for d in state.pending]

    def answers(self, state: Any, chance: Random) -> list[str]:
        """What is chosen outside of the tricks."""
        if state.round.phase == PICK:
            return [self.pick(state, chance)]
        if state.round.phase == TASK:
            return self.tasks(state, chance)
        return [max(state.pending[0].options, key=EASY.index)]

    def won(self, state: Any) -> list[int]:
        """How many tricks each seat has won."""
        won = [0] * self.game.seats
        for trick in state.tricks:
            won[trick.winner] += 1
        return won

    def pick(self, state: Any, chance: Random) -> str:
        """A strong card if the tasks want more tricks than the hand has strength for."""
        decision, round_ = state.pending[0], state.round
        power = self.powers[round_.trumps]
        held, mine = state.hands[decision.seat], round_.tokens[decision.seat]
        goal = sum(map(TRICKS.__getitem__, mine)) / len(mine)
        have = sum(map(power.__getitem__, held)) + 0.25 * (9 - len(held))
        best = max if goal > have else min
        if chance.random() < SLIP:
            return chance.choice(decision.options)
        return best(decision.options, key=power.__getitem__)

    def task(self, state: Any, seat: int, options: Sequence[str], chance: Random) -> str:
        """The task that the hand is nearest to."""
        hand, power = state.hands[seat], self.powers[state.round.trumps]
        expected = sum(map(power.__getitem__, hand))

        def unlikely(task: str) -> float:
            if task.startswith("no_") and task != "no_trick":
                colour = task[3].upper()
                mine = sum([power[card] for card in hand if card[0] == colour])
                return 0.5 * expected + mine + 0.5 * (state.round.trumps.colour == colour)
            if task == "last_trick":
                return 2.0 - 1.5 * max(map(power.__getitem__, hand))
            if task == "most_tricks":
                return max(0.0, TRICKS[task] - expected)
            if task == "fewest_tricks":
                return max(0.0, expected - TRICKS[task])
            return abs(TRICKS[task] - expected)

        return min(options, key=lambda task: unlikely(task) + chance.gauss(0, NOISE))

    def wants(self, state: Any, seat: int, won: Sequence[int]) -> bool:
        """Whether winning the trick on the table serves the task."""
        tasks = state.round.tasks
        task = tasks[seat]
        if task is None:
            task = min(filter(None, tasks), key=lambda task: abs(TRICKS[task] - won[seat]))
        if task in EXACT:
            return won[seat] < EXACT[task]
        return task == "most_tricks" or (task == "last_trick" and len(state.hands[seat]) == 1)

    def play(self, state: Any, won: Sequence[int], chance: Random) -> str:
        """Win this trick or not, as the task wants it, and as cheaply as can be."""
        decision, trick = state.pending[0], state.trick
        options = decision.options
        if len(options) == 1:
            return options[0]
        if chance.random() < SLIP:
            return chance.choice(options)
        power = self.powers[state.round.trumps]
        wants = self.wants(state, decision.seat, won)
        if not trick:
            return (max if wants else min)(options, key=power.__getitem__)
        strengths = self.game.rankings[state.round.trumps].strength[trick[0]]
        best = max(map(strengths.__getitem__, trick))
        last = len(trick) == self.game.seats - 1
        fitting = [card for card in options if (strengths[card] > best) == wants]
        if not fitting:
            return (max if last and not wants else min)(options, key=power.__getitem__)
        return (min if wants and last else max)(fitting, key=power.__getitem__)

    def playout(self, state: Any, number: int, mood: int) -> list[float]:
        """What everybody is rid of in the round of this number, played on from here."""
        apply, chance = self.game.apply, Random(mood)
        while state.round.number == number and state.round.phase != PLAY:
            state = apply(state, self.answers(state, chance))
        won = self.won(state)
        while state.round.number == number:
            if state.round.phase == PLAY:
                state = apply(state, (self.play(state, won, chance),))
                if not state.trick and state.tricks:
                    won[state.leader] += 1
            else:
                state = apply(state, self.answers(state, chance))
        return [HARD[task] if task else 0.0 for task in state.round.past.discards]
