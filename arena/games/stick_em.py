"""The rules of Stick 'Em: how they differ from Sticheln."""

from dataclasses import replace

from arena.cards import deck
from arena.games.sticheln import STICHELN
from arena.games.trick_state import Deck


def stick_em_deck(seats: int) -> Deck:
    """The deck depends on the number of players, is shuffled whole for every round and dealt out,
    15 cards to each.
    """
    top = {3: 8, 4: 11, 5: 14, 6: 14}[seats]
    return Deck(deck("RYGBV" if seats <= 5 else "RYGBVE", range(top + 1)), 15)


def round_per_seat(seats: int) -> int:
    """There are as many rounds as players; the starting seat leads the first trick of the first
    round, and in every further round the next seat clockwise does, so that each leads once.
    """
    return seats


def nobody_takes_zeros(leader: int) -> int | None:
    """A 0 never wins: a trick of nothing but zeros is set aside for the round, and its leader
    leads again.
    """
    return None


def shared_victory(scores: tuple[int, ...]) -> tuple[int, ...]:
    """The highest total of all rounds wins, and equal totals share the victory."""
    return scores


STICK_EM = replace(
    STICHELN,
    deck=stick_em_deck,
    rounds=round_per_seat,
    zeros=nobody_takes_zeros,
    ending=shared_victory,
)
