"""Situations: states of a game made for a test."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games.base import Decision, Game
from arena.games.catalog import VARIANTS
from arena.games.shuffle import SeededShuffle
from arena.games.tricks import TrickGame
from tests.tokens import cards

seeds = st.integers(0, 2**64 - 1)
EVERY_TABLE = [(name, seats) for name, variant in VARIANTS.items() for seats in variant.seats]


def usual(name: str) -> int:
    """The number of seats that stands for all sizes of a variant: each number comes up."""
    seats = VARIANTS[name].seats
    return seats[list(VARIANTS).index(name) % len(seats)]


TABLES = [
    pytest.param(name, seats, marks=() if seats == usual(name) else pytest.mark.soak)
    for name, seats in EVERY_TABLE
]
"""Every table; only `make soak` tries more than one size of each variant."""


def examples(soak: int) -> settings:
    """Fewer examples than usual, for a property that is tried at many tables: 1, 2 or `soak`."""
    return settings(max_examples=min(1 + settings().max_examples // 5, soak))


def at_random(chance: Random) -> Any:
    """Answers decisions by chance."""

    def choose(_state: object, decisions: Sequence[Decision]) -> list[str]:
        return [chance.choice(decision.options) for decision in decisions]

    return choose


def choose(game: Game[Any], state: Any, option: int = 0) -> Any:
    """The state after everybody has taken this option, or their last if they have fewer."""
    choices = [d.options[min(option, len(d.options) - 1)] for d in game.pending(state)]
    return game.apply(state, choices)


def until(
    game: TrickGame[Any], phase: str, *, hands: Sequence[str], leader: int, seed: int = 1
) -> Any:
    """The first state of a phase, with other hands and another leader than it came to have."""
    state = game.start(SeededShuffle(seed))
    while state.round.phase != phase:
        state = choose(game, state)
    dealt = tuple(map(cards, hands))
    lead = Decision(leader, phase, game.legal(dealt[leader], ()))
    return replace(state, hands=dealt, leader=leader, pending=(lead,))
