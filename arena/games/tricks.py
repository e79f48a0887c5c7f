"""The engine of games played in rounds of tricks."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol

from msgspec.structs import replace

from arena.cards import Card, sort_cards
from arena.games.base import OVER, PLAY, Decision, Game, Shuffle, Sizes
from arena.games.events import (
    Dealt,
    Ended,
    Event,
    LeftOver,
    Played,
    RoundBegan,
    Scored,
    SetAside,
    Took,
)
from arena.games.trick_state import (
    Deck,
    GameSetting,
    Hands,
    LegalCards,
    PreviousRound,
    Round,
    State,
    Trick,
    TrickT,
    View,
)


class TrickRules(Protocol):
    """The axes that all games of tricks have."""

    @property
    def deck(self) -> Callable[[int], Deck]:
        """The deck for so many seats."""

    @property
    def rounds(self) -> Callable[[int], int]:
        """The number of rounds for so many seats."""

    @property
    def legal(self) -> LegalCards:
        """What of a hand may be played to the cards of a trick."""

    @property
    def ending(self) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        """What the seats are ranked by, given their scores."""


class TrickGame(Game[State[TrickT]], Generic[TrickT]):
    """A game of rounds; what differs between games is handed in or overridden."""

    view_type: type[View[TrickT]]
    phases: tuple[str, ...] = (PLAY,)
    kept_cards: int = 0
    """How many cards everybody has left when the last trick of a round is over."""

    def __init__(self, variant: str, seats: int, rules: TrickRules) -> None:
        self.deck = rules.deck(seats)
        super().__init__(variant, seats, self.deck.cards)
        self.rounds = rules.rounds(seats)
        self.legal = rules.legal
        self.ending = rules.ending

    @abstractmethod
    def take_trick(self, leader: int, cards: tuple[Card, ...]) -> tuple[TrickT, int]:
        """The complete trick as it is taken, and the seat that leads the next one."""

    @abstractmethod
    def points(self, round_: Round[TrickT], tricks: tuple[TrickT, ...]) -> tuple[int, ...]:
        """What each seat scores in a round whose last phase is over."""

    def phase_decisions(
        self, round_: Round[TrickT], hands: Hands, tricks: tuple[TrickT, ...]
    ) -> tuple[Decision, ...]:
        """The decisions of a phase that is not play; the base knows none."""
        raise NotImplementedError(round_.phase, hands, tricks)

    def resolve_phase(
        self, state: State[TrickT], choices: Sequence[str]
    ) -> tuple[Round[TrickT], Hands]:
        """What a phase that is not play has changed when it has had its answers."""
        raise NotImplementedError(state.round.phase, choices)

    @property
    def sizes(self) -> Sizes:
        """How many cards, tricks and rounds."""
        cards, hand = len(self.deck.cards), self.deck.hand
        tricks = hand - self.kept_cards
        return Sizes(cards, hand, cards - hand * self.seats, tricks, self.rounds)

    def start(self, shuffle: Shuffle, first: int = 0) -> State[TrickT]:
        """The first round, dealt."""
        if not 0 <= first < self.seats:
            raise self.unknown_seat(first)
        return self._deal(GameSetting(shuffle, first), 0, (0,) * self.seats, None)

    def pending(self, state: State[TrickT]) -> tuple[Decision, ...]:
        """Whose turn it is, or all at once, or nobody when the game is over."""
        return state.pending

    def apply(self, state: State[TrickT], choices: Sequence[str]) -> State[TrickT]:
        """The state after these choices."""
        round_, leader, hands, tricks = state.round, state.leader, state.hands, state.tricks
        if round_.phase != PLAY:
            round_, hands = self.resolve_phase(state, self.validate_choices(state.pending, choices))
            return self._next_phase(round_, leader, hands, tricks)
        trick, left, decision = state.trick, state.left, state.pending[0]
        hand = hands[decision.seat]
        rest = list(hand)
        try:
            (choice,) = choices
            card = rest.pop(rest.index(choice))
        except (TypeError, ValueError):
            raise self.illegal_choice(state.pending, choices) from None
        if decision.options is not hand and card not in decision.options:
            raise self.illegal_choice(state.pending, choices)
        trick += (card,)
        left += (tuple(rest),)
        if len(trick) < self.seats:
            seat, legal = self.clockwise_from[leader][len(trick)], self.legal
            pending = (Decision(seat, PLAY, legal(hands[seat], trick)),)
            return State(round_, leader, hands, tricks, pending, trick, left)
        hands = hands_by_seat(left, leader)
        taken, leader = self.take_trick(leader, trick)
        tricks += (taken,)
        if len(hands[0]) == self.kept_cards:
            return self._next_phase(round_, leader, hands, tricks)
        pending = (Decision(leader, PLAY, self.legal(hands[leader], ())),)
        return State(round_, leader, hands, tricks, pending)

    def hand(self, state: State[TrickT], seat: int) -> tuple[Card, ...]:
        """What a seat holds at this moment, in the middle of a trick too."""
        place = (seat - state.leader) % self.seats
        return state.left[place] if place < len(state.left) else state.hands[seat]

    def view(self, state: State[TrickT], seat: int) -> View[TrickT]:
        """What this seat may know."""
        if not 0 <= seat < self.seats:
            raise self.unknown_seat(seat)
        round_ = state.round
        return self.view_type(
            seat=seat,
            phase=round_.phase,
            round=round_.number,
            scores=round_.scores,
            hand=self.hand(state, seat),
            leader=state.leader,
            trick=state.trick,
            tricks=state.tricks,
            left_over=round_.left_over,
            designated=self.visible_designated(round_, seat),
            previous=None if state.tricks else round_.past,
        )

    def visible_designated(
        self, round_: Round[TrickT], seat: int
    ) -> tuple[tuple[Card, ...] | None, ...]:
        """The designating cards this seat may see."""
        return round_.designated

    def scores(self, state: State[TrickT]) -> tuple[int, ...]:
        """The points of all finished rounds."""
        return state.round.scores

    def ranking_keys(self, state: State[TrickT]) -> tuple[int, ...]:
        """What the axis `ending` makes of the scores."""
        return self.ending(state.round.scores)

    def rounds_played(self, state: State[TrickT]) -> int:
        """How many rounds are finished."""
        return state.round.number

    def _deal(
        self,
        setting: GameSetting,
        number: int,
        scores: tuple[int, ...],
        past: PreviousRound[TrickT] | None,
    ) -> State[TrickT]:
        """A new round, its hands dealt, at its first phase."""
        size, order = self.deck.hand, setting.shuffle(number, self.deck.cards)
        dealt = self.seats * size
        hands = tuple([sort_cards(order[at : at + size]) for at in range(0, dealt, size)])
        left_over = sort_cards(order[dealt:])
        round_ = Round(setting, number, self.phases[0], left_over, scores, past)
        return self._start_phase(round_, (setting.first + number) % self.seats, hands, ())

    def _start_phase(
        self, round_: Round[TrickT], leader: int, hands: Hands, tricks: tuple[TrickT, ...]
    ) -> State[TrickT]:
        """The beginning of a phase."""
        if round_.phase == PLAY:
            lead = Decision(leader, PLAY, self.legal(hands[leader], ()))
            return State(round_, leader, hands, tricks, (lead,))
        return State(round_, leader, hands, tricks, self.phase_decisions(round_, hands, tricks))

    def _next_phase(
        self, round_: Round[TrickT], leader: int, hands: Hands, tricks: tuple[TrickT, ...]
    ) -> State[TrickT]:
        """On to the next phase, the next round, or the end."""
        after = self.phases.index(round_.phase) + 1
        if after < len(self.phases):
            return self._start_phase(
                replace(round_, phase=self.phases[after]), leader, hands, tricks
            )
        points = self.points(round_, tricks)
        past = PreviousRound(tricks, points, round_.designated, round_.special)
        scores = tuple(map(int.__add__, round_.scores, points))
        if round_.number + 1 < self.rounds:
            return self._deal(round_.setting, round_.number + 1, scores, past)
        over = Round(round_.setting, self.rounds, OVER, (), scores, past)
        return State(over, leader, ((),) * self.seats, (), ())

    def events(
        self, before: State[TrickT] | None, choices: Sequence[str], after: State[TrickT]
    ) -> Iterator[Event]:
        """What happened at the table from one state to the next."""
        if before is None:
            yield from self._deal_events(after)
            return
        if before.round.phase == PLAY:
            yield self.play_event(before, choices[0])
            if not after.trick:
                done = after.tricks or (after.round.past.tricks if after.round.past else ())
                yield from self.trick_events(done[-1])
        else:
            yield from self.phase_events(before, choices)
        past = after.round.past
        if past is None or after.round.number == before.round.number:
            return
        yield from self.round_end_events(past)
        yield Scored(past.points, after.round.scores)
        if after.round.phase == OVER:
            yield Ended(after.round.scores, self.ranks(after))
        else:
            yield from self._deal_events(after)

    def play_event(self, before: State[TrickT], card: Card) -> Event:
        """A card is played."""
        return Played(before.pending[0].seat, card)

    @abstractmethod
    def trick_events(self, trick: TrickT) -> Iterator[Event]:
        """A complete trick is taken."""

    def phase_events(self, before: State[TrickT], choices: Sequence[str]) -> Iterator[Event]:
        """A phase that is not play had its answers."""
        raise NotImplementedError(before.round.phase, choices)

    def round_end_events(self, past: PreviousRound[TrickT]) -> Iterator[Event]:
        """What is shown at the end of a round before it is scored: by default nothing."""
        yield from ()

    def _deal_events(self, state: State[TrickT]) -> Iterator[Event]:
        """A round is dealt."""
        yield RoundBegan(state.round.number, state.leader)
        for seat, hand in enumerate(state.hands):
            yield Dealt(seat, hand, to=(seat,))
        if state.round.left_over:
            yield LeftOver(state.round.left_over)


def trick_result_event(trick: Trick) -> Event:
    """The winner takes the trick, or it is set aside."""
    return SetAside(trick.cards) if trick.winner is None else Took(trick.winner, trick.cards)


def hands_by_seat(hands: Hands, leader: int) -> Hands:
    """The hands by seat, given in the order of play from the leader on."""
    return hands[-leader:] + hands[:-leader]
