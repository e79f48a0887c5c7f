"""Game states for tests."""

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
from tests.card_texts import cards

SEEDS = st.integers(0, 2**64 - 1)
EVERY_TABLE = [(name, seats) for name, variant in VARIANTS.items() for seats in variant.seats]


def usual_size(name: str) -> int:
    """Return one number of seats of a variant; each number is used by some variant."""
    seats = VARIANTS[name].seats
    return seats[list(VARIANTS).index(name) % len(seats)]


TABLES = [
    pytest.param(name, seats, marks=() if seats == usual_size(name) else pytest.mark.soak)
    for name, seats in EVERY_TABLE
]
"""Every table; only `make soak` tries more than one size of each variant."""


def limit_examples(soak: int) -> settings:
    """Limit the examples of a property that is checked for many tables: 1, 2 or `soak`."""
    return settings(max_examples=min(1 + settings().max_examples // 5, soak))


def random_chooser(chance: Random) -> Any:
    """Return a function that chooses randomly."""

    def choose(_state: object, decisions: Sequence[Decision]) -> list[str]:
        return [chance.choice(decision.options) for decision in decisions]

    return choose


def apply_option(game: Game[Any], state: Any, option: int = 0) -> Any:
    """Return the state after all seats took this option, or their last one."""
    choices = [d.options[min(option, len(d.options) - 1)] for d in game.pending(state)]
    return game.apply(state, choices)


def state_in_phase(
    game: TrickGame[Any], phase: str, *, hands: Sequence[str], leader: int, seed: int = 1
) -> Any:
    """Return the first state of a phase, with the given hands and leader."""
    state = game.start(SeededShuffle(seed))
    while state.round.phase != phase:
        state = apply_option(game, state)
    dealt = tuple(map(cards, hands))
    lead = Decision(leader, phase, game.legal(dealt[leader], ()))
    return replace(state, hands=dealt, leader=leader, pending=(lead,))
