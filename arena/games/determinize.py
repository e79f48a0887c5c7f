"""Determinization: sample a full game state that agrees with one seat's view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from arena.cards import Card, sort_cards, without
from arena.games.base import DISCARD, OVER, PICK, PLAY, TASK, TOKEN, Decision, Game, Shuffle
from arena.games.trick_state import GameSetting, Hands, Round, State, View
from arena.games.tricks import TrickGame
from arena.games.was_sticht.engine import WasStichtGame, distinct_tokens
from arena.games.was_sticht.state import DraftRound, DraftState, DraftView, Trumps


def parse_view(game: Game[Any], view: Mapping[str, Any]) -> Any:
    """Convert the JSON of a view in a question to a view of the game."""
    view_type = game.view_type if isinstance(game, TrickGame) else DraftView
    return msgspec.convert(view, view_type)


def sample_state(game: Game[Any], view: Any, shuffle: Shuffle) -> Any:
    """Sample a state in which the game gives this view, and from which it can be played on.

    What the seat cannot see comes from the draw of this round, which the game does not use again;
    later rounds have their own draws.
    """
    sample: Any = _sample_draft_state if isinstance(game, WasStichtGame) else _sample_trick_state
    return sample(game, view, shuffle)


def unseen_cards(game: TrickGame[Any], view: View[Any]) -> list[Card]:
    """Return the cards that this seat has not seen in this round, in the order of the deck."""
    seen = {*view.hand, *view.trick, *view.left_over}
    seen.update(*[trick.cards for trick in view.tricks])
    seen.update(*[cards for cards in view.designated if cards])
    return [card for card in game.cards if card not in seen]


def _sample_trick_state(game: TrickGame[Any], view: View[Any], shuffle: Shuffle) -> State[Any]:
    """Sample a state of a game of tricks."""
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
        hand = view.hand if own else sort_cards(pool[held:])
        if not own:
            del pool[held:]
        if played:
            left.append(hand)
        hands[seat] = sort_cards(hand + played) if played else hand
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
    """Return the designating cards of all seats; those face down are drawn from the pool."""
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
    """Draw one card, or a pair of two colours that leaves such pairs for so many further seats."""
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
    return sort_cards(pair)


def _sample_draft_state(game: WasStichtGame, view: DraftView, shuffle: Shuffle) -> DraftState:
    """Sample a state of Was sticht, where only the trumps are ever hidden."""
    order, trick = game.clockwise_from[view.leader], view.trick
    hands = list(view.hands)
    for seat, card in zip(order, trick, strict=False):
        held = hands[seat]
        hands[seat] = without(held, card) if view.phase == PICK else sort_cards((*held, card))
    round_ = DraftRound(
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
    return DraftState(
        round_, view.leader, tuple(hands), pending, view.picks, view.tricks, trick, left
    )


def possible_trumps(game: WasStichtGame, view: DraftView) -> list[Trumps]:
    """Return all trumps that agree with the hints so far."""
    hints = [
        (column.cards, (*game.clockwise_from[column.leader], game.seats).index(column.hint))
        for column in view.picks
    ]
    return [
        trumps
        for trumps in game.rankings
        if all(game.winning_place(trumps, cards) == place for cards, place in hints)
    ]


def _sample_trumps(game: WasStichtGame, view: DraftView, shuffle: Shuffle) -> Trumps:
    """Sample the trumps of the round, or none where nothing is dealt."""
    if view.phase != PICK:
        return Trumps(None, None)
    return shuffle(3 * view.round, possible_trumps(game, view))[-1]


def _judged_discards(game: WasStichtGame, view: DraftView) -> tuple[str | None, ...]:
    """Return the tokens that were discarded when the tricks of this round were judged."""
    tally, fulfilled = game.tally_tricks(view.tricks), game.rules.fulfilled
    return tuple(
        [
            task if task and fulfilled(task, seat, tally) else None
            for seat, task in enumerate(view.tasks)
        ]
    )


def _draft_pending(
    game: WasStichtGame, round_: DraftRound, view: DraftView, hands: Sequence[Any]
) -> tuple[Decision, ...]:
    """Return the open decisions of a draft state."""
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
