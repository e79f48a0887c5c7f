"""The crosstable as a heat map: the chance that a row's bot is better than a column's."""

from arena.ratings.crosstable import Crosstable, CrosstablePair
from arena.report.plots.heatmap import CHANCE_COLOURS, Heatmap, draw_heatmap
from arena.report.plots.text import finite, percent
from arena.text import plural

READING = (
    "A figure is the chance, in percent, that the bot of its row is better than that of its "
    "column; a corner marks pairs that the ratings do not explain."
)

SIGNIFICANT_CHANCE = 0.975
"""From this chance on a difference is significant, as in the rank intervals."""


def draw(table: Crosstable, title: str = "Who is better than whom") -> str:
    """Draw a crosstable: every bot against every other."""
    pairs = {(pair.row, pair.column): pair for pair in table.pairs}
    square = [[pairs.get((row, column)) for column in table.bots] for row in table.bots]
    odd = sum(pair.is_unexpected for pair in table.pairs) // 2
    sure = sum(
        pair.better is not None and pair.better >= SIGNIFICANT_CHANCE
        for row in square
        for pair in row
        if pair
    )

    def tooltip(row: int, column: int) -> str:
        pair = square[row][column]
        return table.bots[row] if pair is None else pair_tooltip(pair)

    return draw_heatmap(
        Heatmap(
            title=title,
            rows=table.bots,
            columns=table.bots,
            values=[[pair.better if pair else None for pair in row] for row in square],
            colour_scale=CHANCE_COLOURS,
            format_value=percent_number,
            cell_tooltip=tooltip,
            marked_cells=frozenset(
                (row, column)
                for row, line in enumerate(square)
                for column, pair in enumerate(line)
                if pair is not None and pair.is_unexpected
            ),
            axis_titles=("chance to be better, %", ""),
            key_texts=("row is worse", "row is better"),
            summary=f"Of {plural(len(table.pairs) // 2, 'pair')} one is better than the other "
            f"with 97.5 % or more in {sure}; the ratings do not explain {odd}.",
        )
    )


def percent_number(chance: float) -> str:
    """A chance in percent, without the sign."""
    return percent(chance).removesuffix(" %")


def pair_tooltip(pair: CrosstablePair) -> str:
    """The text of a pair's cell."""
    chance = finite(pair.better)
    known = "no chance known" if chance is None else f"better with {percent(chance)}"
    words = f"{pair.row} against {pair.column}: {known}"
    if pair.ahead is not None and pair.expected is not None:
        words += (
            f"; ahead in {percent(pair.ahead)} of {plural(pair.blocks, 'block')}, "
            f"{percent(pair.expected)} expected"
        )
    return f"{words}{' (odd)' if pair.is_unexpected else ''}"
