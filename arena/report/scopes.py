"""Scopes: which cells of a run a page is about, and what it is called."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.ratings.cell import Cell


@dataclass(frozen=True)
class Scope:
    """Some cells of a run: all, those of a variant, those of a size, or a single one."""

    variant: str | None
    seats: int | None
    cells: tuple[Cell, ...]

    @property
    def title(self) -> str:
        """What it is called."""
        if self.seats is None:
            return self.variant or "overall"
        return str(Cell(self.variant, self.seats)) if self.variant else f"{self.seats} seats"

    @property
    def path(self) -> str:
        """Where its page is."""
        whole = self.variant is None and self.seats is None
        return "index.html" if whole else f"{self.further}.html"

    @property
    def further(self) -> str:
        """How the paths of further pages begin."""
        parts = [self.variant or "all", *([f"{self.seats}-seats"] if self.seats else [])]
        return f"standings/{'_'.join(parts).replace('+', '-')}"


def scopes(cells: Sequence[Cell]) -> Iterator[Scope]:
    """All that a run with these cells has, from the largest to the single ones."""
    every = tuple(sorted(cells))
    yield Scope(None, None, every)
    variants = [(name, tuple(own)) for name, own in groupby(every, lambda cell: cell.variant)]
    sizes = sorted({cell.seats for cell in every})
    if len(variants) > 1:
        yield from (Scope(name, None, own) for name, own in variants)
    if len(sizes) > 1:
        for size in sizes:
            yield Scope(None, size, tuple(cell for cell in every if cell.seats == size))
    if len(variants) > 1 and len(sizes) > 1:
        yield from (Scope(cell.variant, cell.seats, (cell,)) for cell in every)
