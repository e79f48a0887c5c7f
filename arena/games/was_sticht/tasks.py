"""The tasks of Was sticht: when each is fulfilled, and what its token counts in a tie."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from arena.cards import COLOURS, Card, Colour


class TrickTally(Struct, frozen=True):
    """What the seats have won in a round: how many tricks, which cards, and who won the last."""

    tricks: tuple[int, ...]
    cards: tuple[tuple[Card, ...], ...]
    last: int | None


class Task(Struct, frozen=True):
    """A kind of token."""

    value: int
    fulfilled: Callable[[int, TrickTally], bool]
    rule: str


def no_colour(colour: Colour) -> Task:
    """Win no card of this printed colour; winning no trick at all will do."""
    return Task(
        3,
        lambda seat, tally: all(card[0] != colour for card in tally.cards[seat]),
        f"win no {COLOURS[colour]} card (or no trick at all)",
    )


def exact_tricks(count: int, value: int) -> Task:
    """Win exactly this many tricks."""
    return Task(
        value,
        lambda seat, tally: tally.tricks[seat] == count,
        f"win exactly {count} trick{'s' if count > 1 else ''}",
    )


def tricks_of_others(seat: int, tally: TrickTally) -> tuple[int, ...]:
    """The tricks of the other seats, the dealer's too."""
    return tally.tricks[:seat] + tally.tricks[seat + 1 :]


TASKS: Final[dict[str, Task]] = {
    "exactly_1": exact_tricks(1, 4),
    "exactly_2": exact_tricks(2, 4),
    "exactly_3": exact_tricks(3, 5),
    "exactly_4": exact_tricks(4, 9),
    "fewest_tricks": Task(
        6,
        lambda seat, tally: tally.tricks[seat] < min(tricks_of_others(seat, tally)),
        "win fewer tricks than anybody else",
    ),
    "last_trick": Task(4, lambda seat, tally: tally.last == seat, "win the ninth trick"),
    "most_tricks": Task(
        5,
        lambda seat, tally: tally.tricks[seat] > max(tricks_of_others(seat, tally)),
        "win more tricks than anybody else",
    ),
    "no_blue": no_colour("B"),
    "no_green": no_colour("G"),
    "no_red": no_colour("R"),
    "no_trick": Task(9, lambda seat, tally: tally.tricks[seat] == 0, "win no trick"),
    "no_yellow": no_colour("Y"),
}
"""Every kind of token by its name, in the order options have."""
