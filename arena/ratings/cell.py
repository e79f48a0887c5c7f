"""A cell: one variant at one table size, rated separately."""

from msgspec import Struct


class Cell(Struct, frozen=True, order=True):
    """A variant at one table size."""

    variant: str
    seats: int

    def __str__(self) -> str:
        return f"{self.variant}, {self.seats} seats"
