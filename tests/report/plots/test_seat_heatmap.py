"""What a seat is worth in many cells."""

import math

from arena.ratings.breakdowns import Effect
from arena.report.plots.seats import draw_seat_heatmap
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_plots, parse_sentence
from tests.report.plots.test_seats import MAYBE, SURE, UNKNOWN, cell


def test_hand_computed_example() -> None:
    names, drawn = parse_plots(
        draw_seat_heatmap([cell("sticheln", SURE, MAYBE, UNKNOWN), cell("hat-trick", MAYBE)])
    )
    assert names.texts()[1:] == ["3 × sticheln", "1 × hat-trick"]
    assert drawn.texts()[:8] == ["seat", "0", "1", "2", "+5.0", "−1.0", "+2.0", "−1.0"]
    assert "sticheln, 3 seats, seat 0: +5.0 ±1.0 %" in drawn.titles()
    (corners,) = drawn.kinds("sign")
    assert corners.attrib["d"].count("M") == 1
    assert drawn.texts()[-2:] == ["worse", "better"]


def test_no_data() -> None:
    for cells in ([], [cell("sticheln")], [cell("sticheln", Effect(math.inf, 1.0))]):
        assert (
            parse_sentence(draw_seat_heatmap(cells))
            == "What a seat is worth: nothing is known yet."
        )


def test_all_tables() -> None:
    cells = [cell(f"sticheln+reverse+{each}", *[SURE] * (3 + each % 6)) for each in range(246)]
    found = draw_seat_heatmap(cells)
    parse_plot(found)
    assert len(found.encode()) < 200_000


def test_strange_names() -> None:
    cells = [cell(name, SURE, Effect(math.nan, math.nan)) for name in STRANGE_NAMES]
    assert draw_seat_heatmap(cells) == draw_seat_heatmap(cells)
    parse_plot(draw_seat_heatmap(cells))
