"""The rules of Was sticht as functions, one for each axis."""

from collections.abc import Sequence

from arena.cards import NUMBER, Card, Colour, deck
from arena.games.was_sticht.engine import TaskCheck, WasStichtRules
from arena.games.was_sticht.state import Trumps
from arena.games.was_sticht.tasks import TASKS, TrickTally

TRUMP_SUIT = "trump"


def four_by_nine() -> tuple[Card, ...]:
    """The deck is red, green, yellow and blue from 1 to 9, and all of it is used in every round."""
    return deck("RGYB", range(1, 10))


def two_of_each() -> tuple[str, ...]:
    """Before the first round the task tokens lie open on the table; beginning with the first
    dealer and going clockwise, everybody takes one at a time, of any kind, until all have five,
    and the rest is out of the game.

    House ruling: the 24 tokens are two of each of the twelve kinds.
    """
    return tuple(task for task in TASKS for _ in range(2))


def bottom_cards(colours: Sequence[Colour | None], numbers: Sequence[int | None]) -> Trumps:
    """For every round a trump colour is drawn from the four colours and "none", and a trump
    number from 1 to 9 and "none", so that a round may have both, one of them or no trump at all.
    """
    return Trumps(colours[-1], numbers[-1])


def dealers_secret(dealer: int, viewer: int) -> bool:
    """The dealer alone knows the trumps until all cards are picked; then they are shown to all."""
    return dealer == viewer


def nine_columns(order: Sequence[Card]) -> tuple[tuple[Card, ...], ...]:
    """The 36 cards lie open in nine columns of four, all of them from the start."""
    return tuple(tuple(order[column::9]) for column in range(9))


def marker_moves(dealer: int, column: int) -> int:
    """Column by column everybody in turn takes one card for their hand, seen by all; the
    player left of the dealer begins the first column, the next player clockwise the second, and
    so on, and with three players the last card of every column goes to a ghost, who plays no
    further part.
    """
    return dealer + 1 + column


def truthful_hint(place: int, order: tuple[int, ...]) -> int:
    """After each column the dealer announces, truthfully, who would have won its four cards as a
    trick, laid in the order they were picked, under the trumps of the round.

    House ruling: with three players the ghost's card is the last of that trick and may win it.
    """
    return (*order, len(order))[place]


def all_but_dealer(dealer: int, seat: int) -> bool:
    """When the trumps have been shown, everybody but the dealer chooses one of their own tokens
    as the task for this round; the choices are secret until all are made, then all are shown.
    """
    return seat != dealer


def suit(card: Card, trumps: Trumps) -> str:
    """All cards of the trump colour and all cards of the trump number form one suit, the trumps;
    a card of the trump number does not follow its printed colour, though for tasks the printed
    colour counts.
    """
    if card[0] == trumps.colour or NUMBER[card] == trumps.number:
        return TRUMP_SUIT
    return card[0]


def follow_suit(hand: tuple[Card, ...], led: frozenset[Card]) -> tuple[Card, ...]:
    """The player left of the dealer leads the first of nine tricks; everybody must play a card of
    the suit that was led if they hold one, and any card otherwise.
    """
    return tuple(filter(led.__contains__, hand)) or hand


def strength(card: Card, led: str, trumps: Trumps) -> int:
    """The card that is trump by both colour and number wins the trick, else the first played card
    of the trump number, else the highest card of the trump colour, else the highest card of the
    suit that was led; the winner leads the next trick.
    """
    if NUMBER[card] == trumps.number:
        return 300 if card[0] == trumps.colour else 200
    if card[0] == trumps.colour:
        return 100 + NUMBER[card]
    return NUMBER[card] if card[0] == led else 0


def fulfilled(task: str, seat: int, tally: TrickTally) -> bool:
    """After the ninth trick everybody who has fulfilled the task chosen discards its token; a
    token whose task failed stays with its owner.
    """
    return TASKS[task].fulfilled(seat, tally)


def dealer_succeeds(tasks: Sequence[str | None], dealer: int, fulfils: TaskCheck) -> bool:
    """The dealer chooses no task, but if the dealer's tricks fulfil a task that its owner failed,
    the dealer discards any one of the dealer's own tokens; then the player to the left becomes
    dealer.

    House ruling: it is one token a round, however many failed tasks the dealer fulfils, and of
    two owners of the same task the one who failed counts, although the other succeeded.
    """
    return any(
        task is not None and not fulfils(task, owner) and fulfils(task, dealer)
        for owner, task in enumerate(tasks)
    )


def hundred_rounds() -> int:
    """The game ends with the round in which somebody discards a last token.

    House ruling: it ends after 100 rounds in any case.
    """
    return 100


def tokens_then_value(discarded: Sequence[str]) -> tuple[int, int]:
    """The player who has discarded all five tokens wins; if several did so in the same round, the
    higher sum of the values of their tokens decides.

    House ruling: all other places too go by tokens discarded, then by the sum of their values,
    and equals share; a score is the number of tokens discarded.

    House ruling: the values are our own, since those of the printed tokens are not known.
    """
    return len(discarded), sum(TASKS[task].value for task in discarded)


WAS_STICHT = WasStichtRules(
    deck=four_by_nine,
    tokens=two_of_each,
    trumps=bottom_cards,
    secret=dealers_secret,
    columns=nine_columns,
    picks_first=marker_moves,
    hint=truthful_hint,
    chooses=all_but_dealer,
    suit=suit,
    follow=follow_suit,
    strength=strength,
    fulfilled=fulfilled,
    dealer=dealer_succeeds,
    last_round=hundred_rounds,
    ending=tokens_then_value,
)
