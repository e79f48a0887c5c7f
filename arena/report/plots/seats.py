"""What a seat is worth in many cells, as a heat map: where panels would fill too many screens."""

from collections.abc import Sequence

from arena.ratings.crosstable import ODD
from arena.ratings.panels import Bias, Effect
from arena.report.plots.bias import describe, written
from arena.report.plots.grid import Grid
from arena.report.plots.heat import around
from arena.report.plots.heatmap import heatmap
from arena.report.plots.values import number

READING = (
    "A figure says how many more percent of the others a seat beats than the half that a fair one "
    "would, and a corner marks those that are surely not zero."
)

LEAST = 2.0
"""Percent of the strongest colours, at least."""
ROOM = 260.0
"""Variants begin alike, so their names are not to be cut."""


def seats(cells: Sequence[Bias], *, title: str = "What a seat is worth") -> str:
    """A row for each cell in the order given, a column for each seat."""
    many = max((len(one.seats) for one in cells), default=0)
    effects: list[list[Effect | None]] = [
        [*one.seats, *[None] * (many - len(one.seats))] for one in cells
    ]
    values = [[None if one is None else 100 * one.effect for one in row] for row in effects]

    def tells(row: int, column: int) -> str:
        effect = effects[row][column]
        return "" if effect is None else f"{cells[row].cell}, seat {column}: {written(effect)} %"

    return heatmap(
        Grid(
            title=title,
            rows=[f"{one.cell.seats} × {one.cell.variant}" for one in cells],
            columns=[str(seat) for seat in range(many)],
            values=values,
            heat=around(values, 0.0, LEAST),
            text=lambda value: number(value, 1, "+"),
            tells=tells,
            marks=frozenset(
                (row, column)
                for row, line in enumerate(effects)
                for column, one in enumerate(line)
                if one is not None and one.sure(ODD)
            ),
            axis=("placed, % against a half", "seat"),
            ends=("worse", "better"),
            room=ROOM,
            wholly=describe(cells),
        )
    )
