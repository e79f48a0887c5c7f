"""The crosstable as a heat map: the chance that a row's bot is better than a column's."""

from arena.ratings.crosstable import Crosstable, Pair
from arena.report.plots.grid import Grid
from arena.report.plots.heat import CHANCE
from arena.report.plots.heatmap import heatmap
from arena.report.plots.values import counted, finite, percent

READING = (
    "A figure is the chance, in percent, that the bot of its row is better than that of its "
    "column; a corner marks pairs that the ratings do not explain."
)

SURE = 0.975
"""A chance from which on a difference is sure, as in the rank intervals."""


def crosstable(table: Crosstable, title: str = "Who is better than whom") -> str:
    """Every bot against every other."""
    pairs = {(pair.row, pair.column): pair for pair in table.pairs}
    square = [[pairs.get((row, column)) for column in table.bots] for row in table.bots]
    odd = sum(pair.odd for pair in table.pairs) // 2
    sure = sum(
        pair.better is not None and pair.better >= SURE for row in square for pair in row if pair
    )

    def tells(row: int, column: int) -> str:
        pair = square[row][column]
        return table.bots[row] if pair is None else tell(pair)

    return heatmap(
        Grid(
            title=title,
            rows=table.bots,
            columns=table.bots,
            values=[[pair.better if pair else None for pair in row] for row in square],
            heat=CHANCE,
            text=short,
            tells=tells,
            marks=frozenset(
                (row, column)
                for row, line in enumerate(square)
                for column, pair in enumerate(line)
                if pair is not None and pair.odd
            ),
            axis=("chance to be better, %", ""),
            ends=("row is worse", "row is better"),
            wholly=f"Of {counted(len(table.pairs) // 2, 'pair')} one is better than the other with "
            f"97.5 % or more in {sure}; the ratings do not explain {odd}.",
        )
    )


def short(chance: float) -> str:
    """A chance in percent, without the sign."""
    return percent(chance).removesuffix(" %")


def tell(pair: Pair) -> str:
    """All that is known of a pair."""
    chance = finite(pair.better)
    known = "no chance known" if chance is None else f"better with {percent(chance)}"
    words = f"{pair.row} against {pair.column}: {known}"
    if pair.ahead is not None and pair.expected is not None:
        words += (
            f"; ahead in {percent(pair.ahead)} of {counted(pair.blocks, 'block')}, "
            f"{percent(pair.expected)} expected"
        )
    return f"{words}{' (odd)' if pair.odd else ''}"
