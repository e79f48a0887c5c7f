"""Was sticht: all hands lie open after the draft, so a round is played to its end in the head."""

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

GOAL = {
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

NUMBER = {f"{colour}{n}": n for colour in "RGYB" for n in range(1, 10)}
TRUMP = "trump"


class Ranking:
    """How the cards rank under certain trumps."""

    def __init__(self, colour: str | None, number: int | None) -> None:
        self.colour = colour
        self.suit: dict[str, str] = {}
        self.strength: dict[str, int] = {}
        for card, n in NUMBER.items():
            trump = card[0] == colour or n == number
            self.suit[card] = TRUMP if trump else card[0]
            rank = n + (100 if card[0] == colour else 0)
            if n == number:
                rank = 300 if card[0] == colour else 200
            self.strength[card] = rank
        self.power = {card: self.chance(card) for card in NUMBER}

    def chance(self, card: str) -> float:
        """About how likely a card is to win a trick."""
        strength = self.strength[card]
        if strength >= 200:
            return 0.95
        if strength > 100:
            return 0.5 + 0.05 * NUMBER[card]
        return max(0.0, 0.15 * (NUMBER[card] - 4))

    def winner(self, cards: list[str]) -> int:
        """The place of the card that wins; of equal ones the first."""
        led = self.suit[cards[0]]
        place, best = 0, -1
        for at, card in enumerate(cards):
            suit = self.suit[card]
            if suit in (led, TRUMP) and self.strength[card] > best:
                place, best = at, self.strength[card]
        return place


RANKINGS = {trumps: Ranking(*trumps) for trumps in product([*"RGYB", None], [*range(1, 10), None])}
"""For all trumps there can be."""


class Round:
    """The rest of a round that all seats play by simple rules, with open hands."""

    def __init__(self, view: dict[str, Any], tasks: list[str | None]) -> None:
        self.ranking = known(view)[0]
        self.seats = len(view["scores"])
        self.dealer = view["dealer"]
        self.tasks = tasks
        self.hands = [list(hand) for hand in view["hands"]]
        self.leader = view["leader"]
        self.trick = list(view["trick"])
        self.won = [0] * self.seats
        self.colours: list[set[str]] = [set() for _ in range(self.seats)]
        self.last = -1
        for trick in view["tricks"]:
            self.take(trick["winner"], trick["cards"])

    def copy(self) -> "Round":
        """The same round, to be played to its end."""
        twin = object.__new__(Round)
        twin.__dict__.update(self.__dict__)
        twin.hands = [hand[:] for hand in self.hands]
        twin.trick = self.trick[:]
        twin.won = self.won[:]
        twin.colours = [set(colours) for colours in self.colours]
        return twin

    def take(self, seat: int, cards: list[str]) -> None:
        """A seat wins a trick."""
        self.won[seat] += 1
        self.colours[seat].update(card[0] for card in cards)
        self.last = seat

    def play(self, card: str) -> None:
        """The seat whose turn it is plays a card."""
        seat = (self.leader + len(self.trick)) % self.seats
        self.hands[seat].remove(card)
        self.trick.append(card)
        if len(self.trick) == self.seats:
            self.leader = (self.leader + self.ranking.winner(self.trick)) % self.seats
            self.take(self.leader, self.trick)
            self.trick = []

    def finish(self) -> None:
        """Play the rest by the simple rules."""
        while True:
            seat = (self.leader + len(self.trick)) % self.seats
            if not self.hands[seat]:
                return
            self.play(self.simple(seat))

    def simple(self, seat: int) -> str:
        """The card that simple rules play: win or lose the trick, as the task wants it."""
        hand, trick = self.hands[seat], self.trick
        strength, suit = self.ranking.strength, self.ranking.suit
        wants = self.wants(seat)
        if not trick:
            return (max if wants else min)(hand, key=strength.__getitem__)
        led = suit[trick[0]]
        options = [card for card in hand if suit[card] == led] or hand
        if len(options) == 1:
            return options[0]
        best = max(strength[c] for c in trick if suit[c] in (led, TRUMP))
        last = len(trick) == self.seats - 1
        winners = [c for c in options if strength[c] > best and suit[c] in (led, TRUMP)]
        losers = [c for c in options if c not in winners]
        if wants:
            pick = max if winners and not last else min
            return pick(winners or options, key=strength.__getitem__)
        saves = self.tasks[seat] == "last_trick"  # the strong cards are for the end
        pick = max if (losers or last) and not saves else min
        return pick(options if saves else losers or options, key=strength.__getitem__)

    def wants(self, seat: int) -> bool:
        """Whether a seat wants to win the trick on the table."""
        task = self.tasks[seat] or self.dealers_task()
        if task[:5] == "exact":
            return self.won[seat] < int(task[-1])
        if task == "last_trick":
            return len(self.hands[seat]) == 1
        if task in ("most_tricks", "no_trick", "fewest_tricks"):
            return task == "most_tricks"
        return task[3].upper() in self.colours[seat]  # it has failed, and spoils what it can

    def dealers_task(self) -> str:
        """The task of somebody else that fits best what the dealer has won so far."""
        have = self.won[self.dealer]
        return min((t for t in self.tasks if t), key=lambda task: abs(GOAL[task] - have))

    def fulfilled(self, task: str, seat: int) -> bool:
        """Whether a seat has fulfilled a task, after the last trick."""
        won = self.won[seat]
        if task[:5] == "exact":
            return won == int(task[-1])
        if task == "no_trick":
            return won == 0
        if task[:3] == "no_":
            return task[3].upper() not in self.colours[seat]
        if task == "last_trick":
            return self.last == seat
        others = self.won[:seat] + self.won[seat + 1 :]
        return won > max(others) if task == "most_tricks" else won < min(others)

    def discards(self) -> list[float]:
        """Which seats get rid of a token."""
        done = [float(t is not None and self.fulfilled(t, s)) for s, t in enumerate(self.tasks)]
        for owner, task in enumerate(self.tasks):
            if task and not done[owner] and self.fulfilled(task, self.dealer):
                done[self.dealer] = 1.0
        return done


def choose(kind: str, options: list[str], view: dict[str, Any]) -> str:
    """The answer to a question of this kind."""
    if kind == "token":
        return min(options, key=EASY.index)
    if kind == "discard":
        return max(options, key=EASY.index)
    if kind == "pick":
        return picking(options, view)
    if kind == "task":
        return max(options, key=lambda task: hopeful(task, view))
    return playing(options, view)


def known(view: dict[str, Any]) -> list[Ranking]:
    """The rankings there may be after what the dealer has said about the columns."""
    if view["trumps"]:
        return [RANKINGS[view["trumps"]["colour"], view["trumps"]["number"]]]
    seats = len(view["scores"])
    possible = list(RANKINGS.values())
    for column in view["picks"]:
        hint = column["hint"]
        place = seats if hint == seats else (hint - column["leader"]) % seats
        possible = [ranking for ranking in possible if ranking.winner(column["cards"]) == place]
    return possible


def picking(options: list[str], view: dict[str, Any]) -> str:
    """A strong card if our tasks want more tricks than we have strength for, else a weak one."""
    possible = known(view)
    mine = view["tokens"][view["seat"]]
    goal = sum(GOAL[task] for task in mine) / len(mine)

    def mean(card: str) -> float:
        return sum(ranking.power[card] for ranking in possible) / len(possible)

    have = sum(map(mean, view["hand"])) + 0.25 * (9 - len(view["hand"]))
    best = max if goal > have else min
    return best(options, key=mean)


def unlikely(task: str, hand: list[str], ranking: Ranking) -> float:
    """How far a hand is from what a task wants."""
    expected = sum(ranking.power[card] for card in hand)
    if task.startswith("no_") and task != "no_trick":
        colour = task[3].upper()
        mine = sum(ranking.power[card] for card in hand if card[0] == colour)
        return 0.5 * expected + mine + (0.5 if ranking.colour == colour else 0)
    if task == "last_trick":
        return 2.0 - max(ranking.power[card] for card in hand) * 1.5
    if task == "most_tricks":
        return max(0.0, GOAL[task] - expected)
    if task == "fewest_tricks":
        return max(0.0, expected - GOAL[task])
    return abs(GOAL[task] - expected)


def guesses(view: dict[str, Any]) -> list[list[str | None]]:
    """What the others may choose as their tasks: each the likeliest, or the next one."""
    ranking = known(view)[0]
    ways: list[list[str | None]] = []
    for seat, tokens in enumerate(view["tokens"]):
        if seat in (view["seat"], view["dealer"]):
            ways.append([None])
        else:
            hand = view["hands"][seat]
            order = sorted({*tokens}, key=lambda t: (unlikely(t, hand, ranking), t))
            ways.append(list(order[:2]))
    return [list(way) for way in product(*ways)]


def hopeful(task: str, view: dict[str, Any]) -> float:
    """How often the simple rules fulfil a task, and how well the hand fits it."""
    me = view["seat"]
    score = 0.0
    ways = guesses(view)
    for tasks in ways:
        tasks[me] = task
        round_ = Round(view, tasks)
        round_.finish()
        score += round_.discards()[me]
    return score / len(ways) - unlikely(task, view["hand"], known(view)[0])


def playing(options: list[str], view: dict[str, Any]) -> str:
    """The card after which the simple rules give us most, compared with the others."""
    me = view["seat"]
    start = Round(view, view["tasks"])
    simple = start.simple(me)

    def score(card: str) -> float:
        round_ = start.copy()
        round_.play(card)
        round_.finish()
        done = round_.discards()
        others = (sum(done) - done[me]) / (len(done) - 1)
        return done[me] - others + (0.01 if card == simple else 0)

    return max(options, key=score)
