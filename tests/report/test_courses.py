"""Ratings as a run went on: the last are those of the standings, and none is made up."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ratings import compiled
from arena.ratings.results import Cell
from arena.ratings.standings import Table, assemble
from arena.report.courses import MOMENTS, Moment, courses, moments
from arena.store.run import Run
from tests.cli.runs import BOTS, header, made
from tests.ratings.blocks import results

STICHELN, STICK_EM = Cell("sticheln", 3), Cell("stick-em", 3)
Sitting = tuple[Cell, int, str]
"""A cell, how many blocks of it, and who plays."""


def told(folder: Path, *sittings: Sitting, anchors: str = "") -> tuple[list[Moment], Table]:
    """How the bots of a run stood as it was played in these sittings, and how they stand."""
    about = header(anchors=anchors)
    with Run.create(folder, about) as run:
        for number, (cell, blocks, bots) in enumerate(sittings):
            named = replace(about, name=f"{number}")  # other deals
            every = made(named, cell, blocks, bots.split(), 6.0)
            run.add(replace(one, key=bytes([255 - number]) + one.key[1:]) for one in every)
        found = {cell: run.results(cell) for cell in run.cells()}
        stored = {cell: run.stored(cell)[1] for cell in run.cells()}
        return courses(run.roster(), found, stored), assemble(run.roster(), found).overall


def known(moments: Sequence[Moment]) -> list[str]:
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
        monkeypatch.setattr(compiled, "kernel", lambda: None)
    all_of_them = " ".join(BOTS)
    sittings = (STICHELN, 5, all_of_them), (STICK_EM, 4, all_of_them)
    found, table = told(tmp_path, *sittings, anchors=anchors)
    last = found[-1]
    assert last.blocks == 9
    near = 2e-3 if fast else 0.0  # compiled sweeps end where they are close
    assert {line.rank for line in table.lines} != {None}
    for line in table.lines:
        bot = BOTS.index(line.bot)
        assert last.mu[bot] == pytest.approx(line.mu, abs=near)
        assert last.margin[bot] == pytest.approx(line.margin, abs=near)


def test_moments_are_even_and_none_is_told_twice(tmp_path: Path) -> None:
    found, _ = told(tmp_path / "many", (STICHELN, 28, "ann bob cleo dan"))
    assert [one.blocks for one in found] == list(range(2, 29, 2))
    assert len(found) == MOMENTS
    found, _ = told(tmp_path / "few", (STICHELN, 3, "ann bob cleo dan"))
    assert [one.blocks for one in found] == [1, 2, 3]
    found, _ = told(tmp_path / "none")
    assert found == []


def test_who_has_not_played_has_a_gap(tmp_path: Path) -> None:
    """Blocks count in the order in which they were stored, not in that of their keys."""
    sittings = (STICHELN, 7, "ann bob cleo"), (STICHELN, 7, "dan eve ann")
    found, _ = told(tmp_path, *sittings)
    assert known(found) == ["abc"] * 7 + ["abcde"] * 7
    for one in found:
        assert [mu is None for mu in one.mu] == [margin is None for margin in one.margin]


def test_a_cell_that_comes_later_leaves_nobody_known_before(tmp_path: Path) -> None:
    sittings = (STICHELN, 4, "ann bob cleo"), (STICK_EM, 4, "ann bob dan")
    found, table = told(tmp_path, *sittings)
    assert known(found) == [""] * 4 + ["ab"] * 4
    assert {line.bot for line in table.lines if line.rank} == {"ann", "bob"}


@pytest.mark.parametrize(
    ("blocks", "fast", "count"),
    [
        (0, False, MOMENTS),
        (100, False, MOMENTS),
        (1000, False, 3),
        (4000, False, 0),
        (4000, True, 14),
    ],
)
def test_fewer_without_compiled_code(
    blocks: int, fast: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "kernel", lambda: "compiled" if fast else None)
    cell = Cell("sticheln", 4)
    rows = [((0, 1, 2, 3), (4, 3, 2, 1))] * blocks
    assert moments({cell: results(cell, *rows)}) == count
