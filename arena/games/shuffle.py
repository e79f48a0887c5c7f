"""A deterministic shuffle from a seed, the same on every machine and in any language."""

from collections.abc import Sequence
from hashlib import shake_128
from struct import unpack
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")


class SeededShuffle(Struct, frozen=True):
    """A shuffle after Fisher and Yates with words drawn from a hash of seed and draw.

    The words are the little-endian 8-byte groups of SHAKE-128 over `stichkampf-deal-1/SEED/DRAW`
    (numbers in decimal). For n from the number of items down to 1 the next word modulo n is the
    place that changes with place n - 1. Nothing about one draw tells anything about another, so
    who has seen a whole game still cannot work out the next deal.
    """

    seed: int

    def __call__(self, draw: int, items: Sequence[T], /) -> list[T]:
        """The items in the order of this draw."""
        order = list(items)
        last = len(order)
        stream = shake_128(b"stichkampf-deal-1/%d/%d" % (self.seed, draw)).digest(8 * last)
        for word in unpack(f"<{last}Q", stream):
            at = word % last
            last -= 1
            order[last], order[at] = order[at], order[last]
        return order
