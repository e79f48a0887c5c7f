"""Determinization: sample a full game state that agrees with one seat's view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from arena.cards import Card, in_order, without
from arena.games.base import DISCARD, OVER, PICK, PLAY, TASK, TOKEN, Decision, Game, Shuffle
from arena.games.trick_state import GameSetting, Hands, Round, State, View
from arena.games.tricks import TrickGame
from arena.games.was_sticht import state
from arena.games.was_sticht.engine import WasStichtGame, distinct_tokens
from arena.games.was_sticht.state import Trumps


def parse_view(game: Game[Any], view: Mapping[str, Any]) -> Any:
    """The view in a question as its JSON holds it, as the view that the game gives."""
    shape = game.view_type if isinstance(game, TrickGame) else state.DraftView
    return msgspec.convert(view, shape)


def sample_state(game: Game[Any], view: Any, shuffle: Shuffle) -> Any:
    """A state in which the game gives this view, and is played on from like any other.

    What the seat cannot see comes from the draw of this round, which is not asked for again in
    the game; later rounds are dealt by their own draws.
    """
    make: Any = _sample_draft_state if isinstance(game, WasStichtGame) else _sample_trick_state
    return make(game, view, shuffle)


def unseen_cards(game: TrickGame[Any], view: View[Any]) -> list[Card]:
    """The cards that this seat has not seen in this round, in the order they are shuffled from."""
    seen = {*view.hand, *view.trick, *view.left_over}
    seen.update(*[trick.cards for trick in view.tricks])
    seen.update(*[cards for cards in view.designated if cards])
    return [card for card in game.cards if card not in seen]


def _sample_trick_state(game: TrickGame[Any], view: View[Any], shuffle: Shuffle) -> State[Any]:
    """A state of a game of tricks."""
    seats, leader, trick = game.seats, view.leader, view.trick
    if view.phase == OVER:
        over = Round(GameSetting(shuffle, 0), view.round, OVER, (), view.scores, view.previous)
        return State(over, leader, ((),) * seats, (), ())
    pool = [*shuffle(view.round, unseen_cards(game, view))]
    designated = _sample_designated(view, pool)
    order = game.clockwise_from[leader]
    size = len(view.hand) + (view.seat in order[: len(trick)])
    hands: list[tuple[Card, ...]] = [()] * seats
    left = []
    for place, seat in enumerate(order):
        played = trick[place : place + 1]
        held = len(pool) - size + len(played)
        own = seat == view.seat
        hand = view.hand if own else in_order(pool[held:])
        if not own:
            del pool[held:]
        if played:
            left.append(hand)
        hands[seat] = in_order(hand + played) if played else hand
    special = tuple([tuple(dict.fromkeys([card[0] for card in own])) for own in designated])
    led_first = view.tricks[0].leader if view.tricks else leader
    round_ = Round(
        GameSetting(shuffle, (led_first - view.round) % seats),
        view.round,
        view.phase,
        view.left_over,
        view.scores,
        view.previous,
        designated,
        special,
    )
    dealt = tuple(hands)
    if view.phase == PLAY:
        turn = order[len(trick)]
        pending: tuple[Decision, ...] = (Decision(turn, PLAY, game.legal(dealt[turn], trick)),)
    else:
        pending = game.phase_decisions(round_, dealt, view.tricks)
    return State(round_, leader, dealt, view.tricks, pending, trick, tuple(left))


def _sample_designated(view: View[Any], pool: list[Card]) -> Hands:
    """The designating cards of all seats; those that lie face down are drawn from the pool."""
    hidden = view.designated.count(None)
    laid = []
    for cards in view.designated:
        if cards is not None:
            laid.append(cards)
            continue
        hidden -= 1
        laid.append(_draw_designating(pool, len(view.designated[view.seat] or ()), hidden))
    return tuple(laid)


def _draw_designating(pool: list[Card], count: int, remaining_seats: int) -> tuple[Card, ...]:
    """One card, or a pair of two colours that leaves as good ones for so many further seats."""
    if count == 1:
        return (pool.pop(),)
    colours = Counter(card[0] for card in pool)
    for pair in combinations(reversed(pool), 2):
        one, other = pair[0][0], pair[1][0]
        left = [count - (colour in (one, other)) for colour, count in colours.items()]
        if (
            one != other
            and sum(min(count, remaining_seats) for count in left) >= 2 * remaining_seats
        ):
            break
    for card in pair:
        pool.remove(card)
    return in_order(pair)


def _sample_draft_state(
    game: WasStichtGame, view: state.DraftView, shuffle: Shuffle
) -> state.DraftState:
    """A state of Was sticht, where nothing but the trumps is ever hidden."""
    order, trick = game.clockwise_from[view.leader], view.trick
    hands = list(view.hands)
    for seat, card in zip(order, trick, strict=False):
        held = hands[seat]
        hands[seat] = without(held, card) if view.phase == PICK else in_order((*held, card))
    round_ = state.DraftRound(
        GameSetting(shuffle, (view.dealer - view.round) % game.seats),
        view.round,
        view.phase,
        view.dealer,
        view.tokens,
        view.discarded,
        view.previous,
        view.supply,
        view.columns,
        view.trumps or _sample_trumps(game, view, shuffle),
        view.tasks,
        _judged_discards(game, view) if view.phase == DISCARD else (),
    )
    left = tuple([view.hands[seat] for seat in order[: len(trick)]])
    pending = _draft_pending(game, round_, view, hands)
    return state.DraftState(
        round_, view.leader, tuple(hands), pending, view.picks, view.tricks, trick, left
    )


def possible_trumps(game: WasStichtGame, view: state.DraftView) -> list[Trumps]:
    """All trumps that agree with the hints so far."""
    hints = [
        (column.cards, (*game.clockwise_from[column.leader], game.seats).index(column.hint))
        for column in view.picks
    ]
    return [
        trumps
        for trumps in game.rankings
        if all(game.winning_place(trumps, cards) == place for cards, place in hints)
    ]


def _sample_trumps(game: WasStichtGame, view: state.DraftView, shuffle: Shuffle) -> Trumps:
    """Any trumps that may be those of the round, or none where nothing is dealt."""
    if view.phase != PICK:
        return Trumps(None, None)
    return shuffle(3 * view.round, possible_trumps(game, view))[-1]


def _judged_discards(game: WasStichtGame, view: state.DraftView) -> tuple[str | None, ...]:
    """The tokens that went when the tricks of this round were judged."""
    tally, fulfilled = game.tally_tricks(view.tricks), game.rules.fulfilled
    return tuple(
        [
            task if task and fulfilled(task, seat, tally) else None
            for seat, task in enumerate(view.tasks)
        ]
    )


def _draft_pending(
    game: WasStichtGame, round_: state.DraftRound, view: state.DraftView, hands: Sequence[Any]
) -> tuple[Decision, ...]:
    """The open decisions."""
    phase, trick = view.phase, view.trick
    if phase == OVER:
        return ()
    if phase == TASK:
        return tuple(
            [
                Decision(seat, TASK, distinct_tokens(tokens))
                for seat, tokens in enumerate(view.tokens)
                if game.rules.chooses(view.dealer, seat)
            ]
        )
    if phase == DISCARD:
        return (Decision(view.dealer, DISCARD, distinct_tokens(view.tokens[view.dealer])),)
    if phase == TOKEN:
        turn = (view.dealer + sum(map(len, view.tokens))) % game.seats
        return (Decision(turn, TOKEN, distinct_tokens(view.supply)),)
    turn = game.clockwise_from[view.leader][len(trick)]
    if phase == PICK:
        column = view.columns[len(view.picks)]
        return (Decision(turn, PICK, tuple([card for card in column if card not in trick])),)
    options = hands[turn]
    if trick:
        options = game.rules.follow(options, game.rankings[round_.trumps].suit[trick[0]])
    return (Decision(turn, PLAY, options),)
