"""The engine of Was sticht: tokens, draft, card ranking, tasks, tricks, discards."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, starmap

from msgspec import Struct
from msgspec.structs import replace

from arena.cards import NUMBER, Card, Colour, sort_cards, without
from arena.games.base import (
    DISCARD,
    OVER,
    PICK,
    PLAY,
    TASK,
    TOKEN,
    Bounds,
    Decision,
    Game,
    Rules,
    Shuffle,
    Sizes,
    Term,
)
from arena.games.events import Event, TokensShown
from arena.games.trick_state import GameSetting, Hands, Trick
from arena.games.tricks import hands_by_seat
from arena.games.was_sticht.state import (
    Column,
    DraftPast,
    DraftRound,
    DraftState,
    DraftView,
    Trumps,
)
from arena.games.was_sticht.step_events import step_events
from arena.games.was_sticht.tasks import TASKS, TrickTally

TOKENS_PER_SEAT = 5

SuitRule = Callable[[Card, Trumps], str]
StrengthRule = Callable[[Card, str, Trumps], int]
TaskCheck = Callable[[str, int], bool]
"""Whether a seat has fulfilled a task in the current round."""


class CardRanking(Struct, frozen=True):
    """What the card that was led means for every card."""

    suit: dict[Card, frozenset[Card]]
    """The cards that follow a led card."""
    strength: dict[Card, dict[Card, int]]
    """How strong every card is where a card was led."""


def rank_cards(
    cards: Sequence[Card], trumps: Trumps, suit: SuitRule, strength: StrengthRule
) -> CardRanking:
    """What the axes `suit` and `strength` say of every card under these trumps."""
    suits = {card: suit(card, trumps) for card in cards}
    names = set(suits.values())
    members = {name: frozenset(card for card in cards if suits[card] == name) for name in names}
    strengths = {name: {card: strength(card, name, trumps) for card in cards} for name in names}
    return CardRanking(
        {card: members[suits[card]] for card in cards},
        {card: strengths[suits[card]] for card in cards},
    )


@dataclass(frozen=True)
class WasStichtRules(Rules):
    """Was sticht, one field for each axis."""

    deck: Callable[[], tuple[Card, ...]]
    tokens: Callable[[], tuple[str, ...]]
    trumps: Callable[[Sequence[Colour | None], Sequence[int | None]], Trumps]
    secret: Callable[[int, int], bool]
    columns: Callable[[Sequence[Card]], tuple[tuple[Card, ...], ...]]
    picks_first: Callable[[int, int], int]
    hint: Callable[[int, tuple[int, ...]], int]
    chooses: Callable[[int, int], bool]
    suit: SuitRule
    follow: Callable[[tuple[Card, ...], frozenset[Card]], tuple[Card, ...]]
    strength: StrengthRule
    fulfilled: Callable[[str, int, TrickTally], bool]
    dealer: Callable[[Sequence[str | None], int, TaskCheck], bool]
    last_round: Callable[[], int]
    ending: Callable[[Sequence[str]], tuple[int, int]]

    def terms(self) -> Iterator[Term]:
        """The kinds of task."""
        for name in dict.fromkeys(self.tokens()):
            yield Term("chooses", name, TASKS[name].rule, TASKS[name].value)

    def game(self, variant: str, seats: int) -> "WasStichtGame":
        """These rules at a table of this size."""
        return WasStichtGame(variant, seats, self)


class WasStichtGame(Game[DraftState]):
    """Was sticht at a table of a certain size."""

    scores_decide_ranks = False

    def __init__(self, variant: str, seats: int, rules: WasStichtRules) -> None:
        super().__init__(variant, seats, rules.deck())
        self.rules = rules
        self.colours = (*dict.fromkeys(card[0] for card in self.cards), None)
        self.numbers = (*dict.fromkeys(NUMBER[card] for card in self.cards), None)
        self.rankings = {
            trumps: rank_cards(self.cards, trumps, rules.suit, rules.strength)
            for trumps in starmap(Trumps, product(self.colours, self.numbers))
        }
        """How the cards rank under all trumps there can be."""

    def winning_place(self, trumps: Trumps, cards: tuple[Card, ...]) -> int:
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
        fewest = min(most, TOKENS_PER_SEAT)
        chosen = fewest - -(-fewest // self.seats)
        return Bounds(
            score=(0, TOKENS_PER_SEAT),
            total=(0, TOKENS_PER_SEAT * self.seats),
            decisions=(
                TOKENS_PER_SEAT + fewest * 2 * hand + chosen,
                TOKENS_PER_SEAT + most * 2 * (hand + 1),
            ),
        )

    def start(self, shuffle: Shuffle, first: int = 0) -> DraftState:
        """All tokens on the table, nothing dealt yet."""
        if not 0 <= first < self.seats:
            raise self.unknown_seat(first)
        none: tuple[tuple[str, ...], ...] = ((),) * self.seats
        supply, setting = self.rules.tokens(), GameSetting(shuffle, first)
        round_ = DraftRound(setting, 0, TOKEN, first, none, none, None, supply=supply)
        return DraftState(round_, first, none, (Decision(first, TOKEN, distinct_tokens(supply)),))

    def pending(self, state: DraftState) -> tuple[Decision, ...]:
        """Whose turn it is, or all who choose a task, or nobody when the game is over."""
        return state.pending

    def apply(self, state: DraftState, choices: Sequence[str]) -> DraftState:
        """The state after these choices."""
        phase = state.round.phase
        if phase == TASK:
            return self._choose_tasks(state, self.validate_choices(state.pending, choices))
        choice = self.validate_choice(state.pending, choices)
        if phase == PLAY:
            return self._play(state, choice)
        if phase == PICK:
            return self._pick(state, choice)
        if phase == TOKEN:
            return self._take_token(state, choice)
        return self._end_round(self._discard(state, {state.round.dealer: choice}))

    def _take_token(self, state: DraftState, task: str) -> DraftState:
        """A token goes from the table to a seat; after the last one the first round is dealt."""
        round_, seat = state.round, state.pending[0].seat
        tokens = list(round_.tokens)
        tokens[seat] = tuple(sorted((*tokens[seat], task)))
        supply = without(round_.supply, task)
        round_ = replace(round_, tokens=tuple(tokens), supply=supply)
        if all(len(held) == TOKENS_PER_SEAT for held in tokens):
            return self._deal(replace(round_, supply=()))
        pending = (Decision((seat + 1) % self.seats, TOKEN, distinct_tokens(supply)),)
        return replace(state, round=round_, pending=pending)

    def _deal(self, round_: DraftRound) -> DraftState:
        """Trumps are drawn and the cards laid out."""
        draw, shuffle = 3 * round_.number, round_.setting.shuffle
        trumps = self.rules.trumps(shuffle(draw, self.colours), shuffle(draw + 1, self.numbers))
        columns = tuple(map(sort_cards, self.rules.columns(shuffle(draw + 2, self.cards))))
        round_ = replace(round_, phase=PICK, columns=columns, trumps=trumps)
        return self._lay_column(round_, ((),) * self.seats, ())

    def _lay_column(
        self, round_: DraftRound, hands: Hands, picks: tuple[Column, ...]
    ) -> DraftState:
        """The next column is to be picked."""
        leader = self.rules.picks_first(round_.dealer, len(picks)) % self.seats
        pending = (Decision(leader, PICK, round_.columns[len(picks)]),)
        return DraftState(round_, leader, hands, pending, picks)

    def _pick(self, state: DraftState, card: Card) -> DraftState:
        """A seat picks a card; the last one completes the column, and the dealer gives a hint."""
        round_, leader, hands = state.round, state.leader, state.hands
        seat, options = state.pending[0].seat, without(state.pending[0].options, card)
        trick, left = (*state.trick, card), (*state.left, (*hands[seat], card))
        if len(trick) < self.seats:
            pending = (Decision((seat + 1) % self.seats, PICK, options),)
            return DraftState(round_, leader, hands, pending, state.picks, (), trick, left)
        cards = trick + options
        place = self.winning_place(round_.trumps, cards)
        hint = self.rules.hint(place, self.clockwise_from[leader])
        picks = (*state.picks, Column(leader, cards, hint))
        hands = hands_by_seat(left, leader)
        if len(picks) < len(round_.columns):
            return self._lay_column(round_, hands, picks)
        return self._ask_tasks(round_, tuple(map(sort_cards, hands)), picks)

    def _ask_tasks(self, round_: DraftRound, hands: Hands, picks: tuple[Column, ...]) -> DraftState:
        """All cards are picked, and tasks are to be chosen."""
        pending = tuple(
            Decision(seat, TASK, distinct_tokens(tokens))
            for seat, tokens in enumerate(round_.tokens)
            if self.rules.chooses(round_.dealer, seat)
        )
        leader = (round_.dealer + 1) % self.seats
        return DraftState(replace(round_, phase=TASK), leader, hands, pending, picks)

    def _choose_tasks(self, state: DraftState, choices: Sequence[str]) -> DraftState:
        """All tasks are chosen, and the first trick is led."""
        seats = (decision.seat for decision in state.pending)
        tasks = dict(zip(seats, choices, strict=True))
        chosen = tuple(map(tasks.get, range(self.seats)))
        pending = (Decision(state.leader, PLAY, state.hands[state.leader]),)
        round_ = replace(state.round, phase=PLAY, tasks=chosen)
        return replace(state, round=round_, pending=pending)

    def _play(self, state: DraftState, card: Card) -> DraftState:
        """A seat plays a card; the last one completes the trick, and the strongest card wins."""
        round_, leader, hands, picks = state.round, state.leader, state.hands, state.picks
        seat, trick = state.pending[0].seat, (*state.trick, card)
        left = (*state.left, without(hands[seat], card))
        if len(trick) < self.seats:
            seat = (seat + 1) % self.seats
            options = self.rules.follow(hands[seat], self.rankings[round_.trumps].suit[trick[0]])
            pending = (Decision(seat, PLAY, options),)
            return DraftState(round_, leader, hands, pending, picks, state.tricks, trick, left)
        winner = self.clockwise_from[leader][self.winning_place(round_.trumps, trick)]
        tricks = (*state.tricks, Trick(leader, trick, winner))
        hands = hands_by_seat(left, leader)
        pending = (Decision(winner, PLAY, hands[winner]),)
        state = DraftState(round_, winner, hands, pending, picks, tricks)
        return state if hands[0] else self._judge(state)

    def tally_tricks(self, tricks: Sequence[Trick]) -> TrickTally:
        """What the seats have won with these tricks."""
        winners = [trick.winner for trick in tricks]
        won = tuple(
            tuple(card for trick in tricks if trick.winner == seat for card in trick.cards)
            for seat in range(self.seats)
        )
        return TrickTally(tuple(map(winners.count, range(self.seats))), won, winners[-1])

    def _judge(self, state: DraftState) -> DraftState:
        """Who fulfilled a task discards it; a dealer who succeeded is asked what to discard."""
        round_, tally = state.round, self.tally_tricks(state.tricks)

        def fulfils(task: str, seat: int) -> bool:
            return self.rules.fulfilled(task, seat, tally)

        done = {s: task for s, task in enumerate(round_.tasks) if task and fulfils(task, s)}
        state = self._discard(state, done)
        dealer = round_.dealer
        if self.rules.dealer(round_.tasks, dealer, fulfils):
            pending = (Decision(dealer, DISCARD, distinct_tokens(round_.tokens[dealer])),)
            return replace(state, round=replace(state.round, phase=DISCARD), pending=pending)
        return self._end_round(state)

    def _discard(self, state: DraftState, discards: dict[int, str]) -> DraftState:
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

    def _end_round(self, state: DraftState) -> DraftState:
        """On to the next round, or the end if somebody has no token left."""
        old, number = state.round, state.round.number + 1
        past = DraftPast(old.trumps, old.tasks, state.tricks, old.discards)
        over = number == self.rules.last_round() or not all(old.tokens)
        dealer = (old.dealer + 1) % self.seats
        round_ = DraftRound(old.setting, number, OVER, dealer, old.tokens, old.discarded, past)
        if over:
            return DraftState(round_, state.leader, ((),) * self.seats, ())
        return self._deal(round_)

    def scores(self, state: DraftState) -> tuple[int, ...]:
        """How many tokens each seat has discarded."""
        return tuple(map(len, state.round.discarded))

    def ranking_keys(self, state: DraftState) -> tuple[tuple[int, int], ...]:
        """The axis `ending`, on the discarded tokens."""
        return tuple(map(self.rules.ending, state.round.discarded))

    def rounds_played(self, state: DraftState) -> int:
        """How many rounds are finished."""
        return state.round.number

    def hands(self, state: DraftState) -> Hands:
        """What the seats hold at this moment, in the middle of a trick or column too."""
        hands = list(state.hands)
        for seat, hand in zip(self.clockwise_from[state.leader], state.left, strict=False):
            hands[seat] = hand
        return tuple(hands)

    def view(self, state: DraftState, seat: int) -> DraftView:
        """What this seat may know."""
        if not 0 <= seat < self.seats:
            raise self.unknown_seat(seat)
        round_, hands = state.round, self.hands(state)
        known = round_.phase != PICK or self.rules.secret(round_.dealer, seat)
        return DraftView(
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

    def events(
        self, before: DraftState | None, choices: Sequence[str], after: DraftState
    ) -> Iterator[Event]:
        """What happened at the table from one state to the next."""
        if before is None:
            return iter((TokensShown(after.round.dealer, after.round.supply),))
        return step_events(self, before, choices, after)


def distinct_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Each kind of token once."""
    return tuple(dict.fromkeys(tokens))
