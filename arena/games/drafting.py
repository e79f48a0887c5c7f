"""The engine of Was sticht: tokens, a draft under hidden trumps, tasks, tricks, discards."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, starmap

from msgspec.structs import replace

from arena.cards import NUMBER, Card, Colour, in_order, without
from arena.games import draft_events
from arena.games.base import Bounds, Decision, Game, Rules, Shuffle, Sizes, Term
from arena.games.draft_table import Column, Past, Round, State, Trumps, View
from arena.games.events import Event, TokensShown
from arena.games.phases import DISCARD, OVER, PICK, PLAY, TASK, TOKEN
from arena.games.ranking import Strength, Suit, ranked
from arena.games.tasks import TASKS, Tally
from arena.games.trick_table import Hands, Setting, Trick
from arena.games.tricks import by_seat

TOKENS_EACH = 5

Fulfils = Callable[[str, int], bool]
"""Whether a seat has fulfilled a task in the round at hand."""


@dataclass(frozen=True)
class RuleSet(Rules):
    """Was sticht, one field for each axis."""

    deck: Callable[[], tuple[Card, ...]]
    tokens: Callable[[], tuple[str, ...]]
    trumps: Callable[[Sequence[Colour | None], Sequence[int | None]], Trumps]
    secret: Callable[[int, int], bool]
    columns: Callable[[Sequence[Card]], tuple[tuple[Card, ...], ...]]
    picks_first: Callable[[int, int], int]
    hint: Callable[[int, tuple[int, ...]], int]
    chooses: Callable[[int, int], bool]
    suit: Suit
    follow: Callable[[tuple[Card, ...], frozenset[Card]], tuple[Card, ...]]
    strength: Strength
    fulfilled: Callable[[str, int, Tally], bool]
    dealer: Callable[[Sequence[str | None], int, Fulfils], bool]
    last_round: Callable[[], int]
    ending: Callable[[Sequence[str]], tuple[int, int]]

    def terms(self) -> Iterator[Term]:
        """The kinds of task."""
        for name in dict.fromkeys(self.tokens()):
            yield Term("chooses", name, TASKS[name].rule, TASKS[name].value)

    def game(self, variant: str, seats: int) -> "DraftingGame":
        """These rules at a table of this size."""
        return DraftingGame(variant, seats, self)


class DraftingGame(Game[State]):
    """Was sticht at a table of a certain size."""

    decisive = False

    def __init__(self, variant: str, seats: int, rules: RuleSet) -> None:
        super().__init__(variant, seats, rules.deck())
        self.rules = rules
        self.colours = (*dict.fromkeys(card[0] for card in self.cards), None)
        self.numbers = (*dict.fromkeys(NUMBER[card] for card in self.cards), None)
        self.rankings = {
            trumps: ranked(self.cards, trumps, rules.suit, rules.strength)
            for trumps in starmap(Trumps, product(self.colours, self.numbers))
        }
        """How the cards rank under all trumps there can be."""

    def strongest(self, trumps: Trumps, cards: tuple[Card, ...]) -> int:
        """The place of the card that wins a trick or column; of equal ones it is the first."""
        table = self.rankings[trumps].strength[cards[0]]
        strengths = [*map(table.__getitem__, cards)]
        return strengths.index(max(strengths))

    @property
    def sizes(self) -> Sizes:
        """Nine cards and tricks for everybody; with three players the ghost's nine are out."""
        hand = len(self.cards) // 4
        return Sizes(len(self.cards), hand, len(self.cards) - hand * self.seats, hand, None)

    def bounds(self) -> Bounds:
        """A seat discards all of its tokens at most, and one in a round.

        In a round it picks and plays its hand, chooses a task unless it deals, and may discard.
        """
        hand, most = self.sizes.hand, self.rules.last_round()
        fewest = min(most, TOKENS_EACH)
        chosen = fewest - -(-fewest // self.seats)
        return Bounds(
            score=(0, TOKENS_EACH),
            total=(0, TOKENS_EACH * self.seats),
            decisions=(
                TOKENS_EACH + fewest * 2 * hand + chosen,
                TOKENS_EACH + most * 2 * (hand + 1),
            ),
        )

    def start(self, shuffle: Shuffle, first: int = 0) -> State:
        """All tokens on the table, nothing dealt yet."""
        if not 0 <= first < self.seats:
            raise self.no_seat(first)
        none: tuple[tuple[str, ...], ...] = ((),) * self.seats
        supply, setting = self.rules.tokens(), Setting(shuffle, first)
        round_ = Round(setting, 0, TOKEN, first, none, none, None, supply=supply)
        return State(round_, first, none, (Decision(first, TOKEN, distinct(supply)),))

    def pending(self, state: State) -> tuple[Decision, ...]:
        """Whose turn it is, or all who choose a task, or nobody when the game is over."""
        return state.pending

    def apply(self, state: State, choices: Sequence[str]) -> State:
        """The state after these choices."""
        phase = state.round.phase
        if phase == TASK:
            return self._choose_tasks(state, self.chosen(state.pending, choices))
        choice = self.chosen_one(state.pending, choices)
        if phase == PLAY:
            return self._play(state, choice)
        if phase == PICK:
            return self._pick(state, choice)
        if phase == TOKEN:
            return self._take_token(state, choice)
        return self._end_round(self._discard(state, {state.round.dealer: choice}))

    def _take_token(self, state: State, task: str) -> State:
        """A token goes from the table to a seat; after the last one the first round is dealt."""
        round_, seat = state.round, state.pending[0].seat
        tokens = list(round_.tokens)
        tokens[seat] = tuple(sorted((*tokens[seat], task)))
        supply = without(round_.supply, task)
        round_ = replace(round_, tokens=tuple(tokens), supply=supply)
        if all(len(held) == TOKENS_EACH for held in tokens):
            return self._deal(replace(round_, supply=()))
        pending = (Decision((seat + 1) % self.seats, TOKEN, distinct(supply)),)
        return replace(state, round=round_, pending=pending)

    def _deal(self, round_: Round) -> State:
        """Trumps are drawn and the cards laid out."""
        draw, shuffle = 3 * round_.number, round_.setting.shuffle
        trumps = self.rules.trumps(shuffle(draw, self.colours), shuffle(draw + 1, self.numbers))
        columns = tuple(map(in_order, self.rules.columns(shuffle(draw + 2, self.cards))))
        round_ = replace(round_, phase=PICK, columns=columns, trumps=trumps)
        return self._lay_column(round_, ((),) * self.seats, ())

    def _lay_column(self, round_: Round, hands: Hands, picks: tuple[Column, ...]) -> State:
        """The next column is to be picked."""
        leader = self.rules.picks_first(round_.dealer, len(picks)) % self.seats
        pending = (Decision(leader, PICK, round_.columns[len(picks)]),)
        return State(round_, leader, hands, pending, picks)

    def _pick(self, state: State, card: Card) -> State:
        """A seat picks a card; the last one completes the column, and the dealer gives a hint."""
        round_, leader, hands = state.round, state.leader, state.hands
        seat, options = state.pending[0].seat, without(state.pending[0].options, card)
        trick, left = (*state.trick, card), (*state.left, (*hands[seat], card))
        if len(trick) < self.seats:
            pending = (Decision((seat + 1) % self.seats, PICK, options),)
            return State(round_, leader, hands, pending, state.picks, (), trick, left)
        cards = trick + options
        place = self.strongest(round_.trumps, cards)
        hint = self.rules.hint(place, self.orders[leader])
        picks = (*state.picks, Column(leader, cards, hint))
        hands = by_seat(left, leader)
        if len(picks) < len(round_.columns):
            return self._lay_column(round_, hands, picks)
        return self._ask_tasks(round_, tuple(map(in_order, hands)), picks)

    def _ask_tasks(self, round_: Round, hands: Hands, picks: tuple[Column, ...]) -> State:
        """All cards are picked, and tasks are to be chosen."""
        pending = tuple(
            Decision(seat, TASK, distinct(tokens))
            for seat, tokens in enumerate(round_.tokens)
            if self.rules.chooses(round_.dealer, seat)
        )
        leader = (round_.dealer + 1) % self.seats
        return State(replace(round_, phase=TASK), leader, hands, pending, picks)

    def _choose_tasks(self, state: State, choices: Sequence[str]) -> State:
        """All tasks are chosen, and the first trick is led."""
        seats = (decision.seat for decision in state.pending)
        tasks = dict(zip(seats, choices, strict=True))
        chosen = tuple(map(tasks.get, range(self.seats)))
        pending = (Decision(state.leader, PLAY, state.hands[state.leader]),)
        round_ = replace(state.round, phase=PLAY, tasks=chosen)
        return replace(state, round=round_, pending=pending)

    def _play(self, state: State, card: Card) -> State:
        """A seat plays a card; the last one completes the trick, and the strongest card wins."""
        round_, leader, hands, picks = state.round, state.leader, state.hands, state.picks
        seat, trick = state.pending[0].seat, (*state.trick, card)
        left = (*state.left, without(hands[seat], card))
        if len(trick) < self.seats:
            seat = (seat + 1) % self.seats
            options = self.rules.follow(hands[seat], self.rankings[round_.trumps].suit[trick[0]])
            pending = (Decision(seat, PLAY, options),)
            return State(round_, leader, hands, pending, picks, state.tricks, trick, left)
        winner = self.orders[leader][self.strongest(round_.trumps, trick)]
        tricks = (*state.tricks, Trick(leader, trick, winner))
        hands = by_seat(left, leader)
        pending = (Decision(winner, PLAY, hands[winner]),)
        state = State(round_, winner, hands, pending, picks, tricks)
        return state if hands[0] else self._judge(state)

    def tally(self, tricks: Sequence[Trick]) -> Tally:
        """What the seats have won with these tricks."""
        winners = [trick.winner for trick in tricks]
        won = tuple(
            tuple(card for trick in tricks if trick.winner == seat for card in trick.cards)
            for seat in range(self.seats)
        )
        return Tally(tuple(map(winners.count, range(self.seats))), won, winners[-1])

    def _judge(self, state: State) -> State:
        """Who fulfilled a task discards it; a dealer who succeeded is asked what to discard."""
        round_, tally = state.round, self.tally(state.tricks)

        def fulfils(task: str, seat: int) -> bool:
            return self.rules.fulfilled(task, seat, tally)

        done = {s: task for s, task in enumerate(round_.tasks) if task and fulfils(task, s)}
        state = self._discard(state, done)
        dealer = round_.dealer
        if self.rules.dealer(round_.tasks, dealer, fulfils):
            pending = (Decision(dealer, DISCARD, distinct(round_.tokens[dealer])),)
            return replace(state, round=replace(state.round, phase=DISCARD), pending=pending)
        return self._end_round(state)

    def _discard(self, state: State, discards: dict[int, str]) -> State:
        """These seats get rid of these tokens."""
        round_ = state.round
        tokens, discarded = list(round_.tokens), list(round_.discarded)
        now = list(round_.discards or (None,) * self.seats)
        for seat, task in discards.items():
            tokens[seat] = without(tokens[seat], task)
            discarded[seat] = (*discarded[seat], task)
            now[seat] = task
        held, gone = tuple(tokens), tuple(discarded)
        return replace(
            state, round=replace(round_, tokens=held, discarded=gone, discards=tuple(now))
        )

    def _end_round(self, state: State) -> State:
        """On to the next round, or the end if somebody has no token left."""
        old, number = state.round, state.round.number + 1
        past = Past(old.trumps, old.tasks, state.tricks, old.discards)
        over = number == self.rules.last_round() or not all(old.tokens)
        dealer = (old.dealer + 1) % self.seats
        round_ = Round(old.setting, number, OVER, dealer, old.tokens, old.discarded, past)
        if over:
            return State(round_, state.leader, ((),) * self.seats, ())
        return self._deal(round_)

    def scores(self, state: State) -> tuple[int, ...]:
        """How many tokens each seat has discarded."""
        return tuple(map(len, state.round.discarded))

    def standing(self, state: State) -> tuple[tuple[int, int], ...]:
        """The axis `ending`, on the discarded tokens."""
        return tuple(map(self.rules.ending, state.round.discarded))

    def rounds_played(self, state: State) -> int:
        """How many rounds are finished."""
        return state.round.number

    def hands(self, state: State) -> Hands:
        """What the seats hold at this moment, in the middle of a trick or column too."""
        hands = list(state.hands)
        for seat, hand in zip(self.orders[state.leader], state.left, strict=False):
            hands[seat] = hand
        return tuple(hands)

    def view(self, state: State, seat: int) -> View:
        """What this seat may know."""
        if not 0 <= seat < self.seats:
            raise self.no_seat(seat)
        round_, hands = state.round, self.hands(state)
        known = round_.phase != PICK or self.rules.secret(round_.dealer, seat)
        return View(
            seat=seat,
            phase=round_.phase,
            round=round_.number,
            scores=self.scores(state),
            dealer=round_.dealer,
            tokens=round_.tokens,
            discarded=round_.discarded,
            supply=round_.supply,
            columns=round_.columns,
            picks=state.picks,
            trumps=round_.trumps if known and round_.columns else None,
            tasks=round_.tasks,
            hand=hands[seat],
            hands=hands,
            leader=state.leader,
            trick=state.trick,
            tricks=state.tricks,
            previous=None if state.picks else round_.past,
        )

    def events(self, before: State | None, choices: Sequence[str], after: State) -> Iterator[Event]:
        """What happened at the table from one state to the next."""
        if before is None:
            return iter((TokensShown(after.round.dealer, after.round.supply),))
        return draft_events.events(self, before, choices, after)


def distinct(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Each kind of token once."""
    return tuple(dict.fromkeys(tokens))
