"""Ratings as a run went on: the last are those of the standings, and none is made up."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ratings import trueskill_numba
from arena.ratings.cell import Cell
from arena.ratings.overall import RatedCell, rate_cells
from arena.ratings.results import Ints
from arena.ratings.standings import StandingsTable, build_standings
from arena.report.data import rating_history
from arena.report.data.ladder_info import LadderInfo, PublishedNight
from arena.report.data.rating_history import (
    LADDER_TIME_BUDGET,
    MAX_POINTS,
    HistoryPoint,
    affordable_point_count,
    estimate_seconds,
    night_history,
    run_history,
)
from arena.store.run import Run
from tests.cli.runs import BOTS, make_blocks, make_header
from tests.ratings.example_results import make_results

STICHELN, STICK_EM = Cell("sticheln", 3), Cell("stick-em", 3)
Session = tuple[Cell, int, str]
"""A cell, how many blocks of it, and who plays."""


def history_of_sessions(
    folder: Path, *sessions: Session, anchors: str = ""
) -> tuple[list[HistoryPoint], StandingsTable]:
    """How the bots of a run stood as it was played in these sessions, and how they stand."""
    about = make_header(anchors=anchors)
    with Run.create(folder, about) as run:
        for number, (cell, blocks, bots) in enumerate(sessions):
            named = replace(about, name=f"{number}")  # other deals
            every = make_blocks(named, cell, blocks, bots.split(), 6.0)
            run.add(replace(one, key=bytes([255 - number]) + one.key[1:]) for one in every)
        found = {cell: run.results(cell) for cell in run.cells()}
        stored = {cell: run.storage_order(cell)[1] for cell in run.cells()}
        rated = rate_cells(run.roster(), found)
        return run_history(run.roster(), rated, stored), build_standings(
            run.roster(), found
        ).overall


def known(moments: Sequence[HistoryPoint]) -> list[str]:
    """Who has a rating at each moment, by the first letters."""
    return [
        "".join(bot[0] for bot, mu in zip(BOTS, one.mu, strict=True) if mu is not None)
        for one in moments
    ]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("anchors", ["", "bob eve"])
def test_the_last_are_those_of_the_standings(
    fast: bool, anchors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fast:
        monkeypatch.setattr(trueskill_numba, "load_kernel", lambda: None)
    all_of_them = " ".join(BOTS)
    sessions = (STICHELN, 5, all_of_them), (STICK_EM, 4, all_of_them)
    found, table = history_of_sessions(tmp_path, *sessions, anchors=anchors)
    last = found[-1]
    assert last.blocks == 9
    assert {line.rank for line in table.lines} != {None}
    for line in table.lines:
        bot = BOTS.index(line.bot)
        assert last.mu[bot] == line.mu
        assert last.margin[bot] == line.margin


def test_points_of_history_are_evenly_spaced(tmp_path: Path) -> None:
    found, _ = history_of_sessions(tmp_path / "many", (STICHELN, 28, "ann bob cleo dan"))
    assert [one.blocks for one in found] == list(range(2, 29, 2))
    assert len(found) == MAX_POINTS
    found, _ = history_of_sessions(tmp_path / "few", (STICHELN, 3, "ann bob cleo dan"))
    assert [one.blocks for one in found] == [1, 2, 3]
    found, _ = history_of_sessions(tmp_path / "none")
    assert found == []


def test_a_bot_without_games_has_a_gap(tmp_path: Path) -> None:
    """Blocks count in the order in which they were stored, not in that of their keys."""
    sessions = (STICHELN, 7, "ann bob cleo"), (STICHELN, 7, "dan eve ann")
    found, _ = history_of_sessions(tmp_path, *sessions)
    assert known(found) == ["abc"] * 7 + ["abcde"] * 7
    for one in found:
        assert [mu is None for mu in one.mu] == [margin is None for margin in one.margin]


def test_bots_are_rated_once_they_played_every_cell(tmp_path: Path) -> None:
    sessions = (STICHELN, 4, "ann bob cleo"), (STICK_EM, 4, "ann bob dan")
    found, table = history_of_sessions(tmp_path, *sessions)
    assert known(found) == [""] * 4 + ["ab"] * 4
    assert {line.bot for line in table.lines if line.rank} == {"ann", "bob"}


@pytest.mark.parametrize(
    ("blocks", "fast", "count"),
    [
        (0, False, MAX_POINTS),
        (100, False, MAX_POINTS),
        (1000, False, 4),
        (4000, False, 1),
        (4000, True, 14),
    ],
)
def test_fewer_without_compiled_code(
    blocks: int, fast: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trueskill_numba, "load_kernel", lambda: "compiled" if fast else None)
    cell = Cell("sticheln", 4)
    rows = [((0, 1, 2, 3), (4, 3, 2, 1))] * blocks
    assert affordable_point_count({cell: make_results(cell, *rows)}) == count


def test_fewer_with_very_many_bots() -> None:
    """What it takes to rate them grows with the cube of their number."""
    cell = Cell("sticheln", 3)
    crowd = make_results(cell, *(((3 * n, 3 * n + 1, 3 * n + 2), (3, 2, 1)) for n in range(2000)))
    assert affordable_point_count({cell: crowd}) < MAX_POINTS / 2
    assert estimate_seconds({cell: crowd}) > 100 * estimate_seconds(
        {cell: crowd.select_blocks(crowd.bot_indices[:, 0] < 900)}
    )


class Ladder:
    """A ladder with four nights, of which the third was idle."""

    def __init__(self, folder: Path) -> None:
        about = make_header()
        sessions = (STICHELN, 6, "ann bob cleo"), (STICHELN, 6, "ann bob dan"), (STICK_EM, 6, "")
        self.ends: list[int] = []
        with Run.create(folder, about) as run:
            for number, (cell, blocks, bots) in enumerate(sessions):
                named = replace(about, name=f"{number}")
                every = make_blocks(named, cell, blocks, bots.split() or BOTS, 6.0)
                run.add(replace(one, key=bytes([255 - number]) + one.key[1:]) for one in every)
                stored = [run.storage_order(cell)[1].max() for cell in run.cells()]
                self.ends += [int(max(stored))] * (2 if number == 1 else 1)
            self.roster = run.roster()
            found = {cell: run.results(cell) for cell in run.cells()}
            self.rated: list[RatedCell] = rate_cells(self.roster, found)
            self.stored: dict[Cell, Ints] = {one: run.storage_order(one)[1] for one in found}

    def ladder_info(self, ends: Sequence[int], counted: Sequence[Cell]) -> LadderInfo:
        cells = tuple(counted)
        nights = [
            PublishedNight(n, "", "", 0, 0, counted_cells=cells) for n in range(1, len(ends) + 1)
        ]
        return LadderInfo((), nights, ends)

    def told(
        self,
        *ends: int,
        known: Sequence[HistoryPoint] = (),
        counted: Sequence[Cell] = (STICHELN, STICK_EM),
    ) -> list[HistoryPoint]:
        ladder_info = self.ladder_info(ends, counted)
        return night_history(self.roster, self.rated, self.stored, ladder_info, known)


@pytest.fixture
def ladder(tmp_path: Path) -> Ladder:
    return Ladder(tmp_path / "ladder")


def test_ratings_after_each_night(ladder: Ladder) -> None:
    """From all games up to its end, in the cells that were played by then; the last are today's."""
    found = ladder.told(*ladder.ends)
    assert [(one.night, one.blocks) for one in found] == [(1, 6), (2, 12), (3, 12), (4, 18)]
    assert known(found) == ["abc", "abcd", "abcd", "abcd"]
    assert found[1]._replace(night=3) == found[2]
    today = build_standings(ladder.roster, {one.cell: one.results for one in ladder.rated}).overall
    assert {line.bot: line.mu for line in today.lines if line.rank} == {
        bot: mu for bot, mu in zip(BOTS, found[-1].mu, strict=True) if mu is not None
    }
    alone = {
        one.cell: one.results.select_blocks(ladder.stored[one.cell] <= found[0].last_block)
        for one in ladder.rated
    }
    first = build_standings(ladder.roster, alone).overall
    for line in first.lines[:3]:
        assert found[0].mu[BOTS.index(line.bot)] == pytest.approx(line.mu, abs=2e-3)


def test_only_cells_that_counted_after_a_night_are_in_its_ratings(ladder: Ladder) -> None:
    every = ladder.told(*ladder.ends)
    some = ladder.told(*ladder.ends, counted=[STICHELN])
    assert some[:3] == every[:3]
    (one,) = (one for one in ladder.rated if one.cell == STICHELN)
    assert some[3].mu[0] == pytest.approx(one.rating.mu[0], abs=1e-4)
    assert some[3].mu != every[3].mu
    assert ladder.told(*ladder.ends, counted=[])[3] == some[3], "it is where most have played"


def test_nights_before_the_first_game_and_too_many_of_them(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ladder.told() == []
    assert ladder.told(0) == []
    assert [one.night for one in ladder.told(0, ladder.ends[0])] == [2]
    monkeypatch.setattr(rating_history, "MAX_NIGHTS", 2)
    assert [one.night for one in ladder.told(*ladder.ends)] == [3, 4]


def test_known_points_are_reused(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if fewer bots were there; but a night that went on is."""
    before = [
        HistoryPoint(6, (1.0,) * 3, (0.5,) * 3, night=1, last_block=ladder.ends[0]),
        HistoryPoint(9, (1.0,) * 4, (0.5,) * 4, night=2, last_block=ladder.ends[1] - 3),
    ]
    found = ladder.told(*ladder.ends, known=before)
    assert found[0].mu == (1.0, 1.0, 1.0, None, None, None)
    assert found[0].margin == (0.5, 0.5, 0.5, None, None, None)
    assert found[1:] == ladder.told(*ladder.ends)[1:]
    monkeypatch.setattr(rating_history, "rate_results", None)
    assert ladder.told(*ladder.ends, known=found) == found


def test_only_the_last_nights_where_ratings_take_long(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last night is known already and costs nothing."""
    monkeypatch.setattr(rating_history, "estimate_seconds", lambda _: LADDER_TIME_BUDGET)
    assert [one.night for one in ladder.told(*ladder.ends)] == [2, 3, 4]
