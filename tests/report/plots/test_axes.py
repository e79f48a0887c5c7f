"""Axes."""

from arena.report.plots import axes
from arena.report.plots.markup import plot
from arena.report.plots.scale import Scale, steps
from tests.report.plots.drawn import only


def test_bottom() -> None:
    scale = Scale(0, 10, 20, 180)
    drawn = only(
        plot("x", (200, 100), "t", "d.", axes.bottom(scale, steps(0, 10, 3), (5, 60), "mu"))
    )
    assert drawn.texts() == ["0", "5", "10", "mu"]
    (grid,) = drawn.kinds("grid")
    assert grid.get("d") == "M20 5V60M100 5V60M180 5V60"


def test_height() -> None:
    """What an axis takes below a plot is enough for it."""
    scale = Scale(0, 10, 20, 180)
    for title, below in (("mu", axes.BELOW), (None, axes.UNNAMED)):
        only(
            plot(
                "x",
                (200, 60 + below),
                "t",
                "d.",
                axes.bottom(scale, steps(0, 10, 3), (5, 60), title),
            )
        )


def test_left() -> None:
    ticks = steps(0, 1e6, 3)
    scale = Scale(0, 1e6, 90, 30)
    drawn = only(
        plot("x", (200, 100), "t", "d.", axes.left(scale, ticks, axes.room(ticks), 190, "games"))
    )
    assert drawn.texts() == ["0", "500,000", "1,000,000", "games"]


def test_nothing() -> None:
    assert axes.bottom(Scale(0, 1, 0, 1), [], (0, 9)) == ""
    assert axes.room([]) == 10


def test_a_long_title_stays_inside() -> None:
    title = "points in a game"
    for ends in ((0, 20), (180, 200)):
        axis = axes.bottom(Scale(0, 1, *ends), [], (0, 20), title, (0, 200))
        assert only(plot("x", (200, 60), "t", "d.", axis)).texts() == [title]
