"""Seating designs: the seatings in which a table plays each deal, to share luck fairly."""

from functools import cache
from itertools import permutations
from typing import Literal

Design = Literal["balanced", "all", "rotations", "random"]
Seating = tuple[int, ...]
"""For each seat, the slot of its bot; which bot has which slot is drawn in `deals`."""
BlockSeatings = tuple[Seating, ...]
"""The seatings of one block."""

MIN_SEATS, MAX_SEATS = 3, 8
MAX_SEATS_FOR_ALL = 5
"""With 6 seats all permutations would be 720 games of one deal."""


@cache
def balanced_design(seats: int) -> tuple[BlockSeatings, ...]:
    """The super-block for so many seats: blocks that together balance seats and neighbours.

    In every block each bot sits in every seat equally often. Over all blocks each bot has each
    other bot to the left equally often, and with an odd number of seats each two bots sit in each
    two seats equally often.
    """
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise ValueError(f"{seats} seats")
    return _odd_design(seats) if seats % 2 else _even_design(seats)


def _zigzag(seats: int) -> list[int]:
    """0, 1, -1, 2, -2 and so on, in which the steps between neighbours all differ."""
    return [(seat + 1) // 2 if seat % 2 else -seat // 2 % seats for seat in range(seats)]


def _odd_design(seats: int) -> tuple[BlockSeatings, ...]:
    """A block for each stretch of the zigzag, together with its mirror image."""
    zigzag = _zigzag(seats)
    return tuple(
        tuple(
            tuple((factor * step + turn) % seats for step in zigzag)
            for factor in (stretch, -stretch)
            for turn in range(seats)
        )
        for stretch in range(1, (seats + 1) // 2)
    )


def _even_design(seats: int) -> tuple[BlockSeatings, ...]:
    """Williams' square, relabelled for each block.

    In the square itself only slots that are opposite on the circle are neighbours too often. One
    relabelling for each round of a round robin makes each two slots opposite once.
    """
    square = [[(step + turn) % seats for step in _zigzag(seats)] for turn in range(seats)]
    return tuple(
        tuple(tuple(labels[slot] for slot in row) for row in square)
        for labels in map(_opposite_labels, range(seats - 1), [seats] * (seats - 1))
    )


def _opposite_labels(turn: int, seats: int) -> list[int]:
    """Labels that make the pairs of this turn of a round robin opposite each other."""
    circle = seats - 1
    half = seats // 2
    labels = [0] * seats
    labels[0], labels[half] = circle, turn
    for step in range(1, half):
        labels[step], labels[step + half] = (turn + step) % circle, (turn - step) % circle
    return labels


@cache
def design(seating: Design, seats: int) -> tuple[BlockSeatings, ...]:
    """The blocks of a super-block, after which the design repeats with other bots in its slots."""
    if seating == "balanced":
        return balanced_design(seats)
    if seating == "all":
        return (tuple(permutations(range(seats))),)
    upright = tuple(range(seats))
    if seating == "rotations":
        return (tuple(upright[turn:] + upright[:turn] for turn in upright),)
    return ((upright,),)
