"""Sheets that come back as they went, in which no text is a formula."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from arena.ratings.crosstable import rate_crosstable
from arena.ratings.standings import build_standings
from arena.report.data.csv_export import (
    GAME_COLUMNS,
    crosstable_csv,
    format_rows,
    games_csv,
    standings_csv,
    to_csv,
)
from arena.sanitize import printable
from arena.store.run import Run
from tests.cli.runs import BOTS, CELLS, create_run

FORMULA = tuple("=+-@")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        ("@sum", "'@sum"),
        ("-1", "'-1"),
        ("+1", "'+1"),
        (" =1", "' =1"),
        ("\t=1", "␉=1"),
        ("＝1", "'＝1"),
        ("a,b", "a,b"),
        ('say "hi"', 'say "hi"'),
        ("two\nlines", "two␊lines"),
    ],
)
def test_no_text_is_a_formula(name: str, shown: str) -> None:
    text = to_csv(["bot", "points"], [[name, -1.5], [name, None]])
    first, second, third = csv.reader(StringIO(text))
    assert first == ["bot", "points"]
    assert second == [shown, "-1.5"]
    assert third == [shown, ""]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_csv_comes_back(names: list[str]) -> None:
    (row,) = list(csv.reader(StringIO(to_csv(names, []), newline="")))
    (back,) = list(csv.reader(StringIO(to_csv(["x"], [names]).partition("\n")[2], newline="")))
    assert len(row) == len(back) == len(names)
    for name, found in zip(names, back, strict=True):
        assert found.removeprefix("'") == printable(name).removeprefix("'")
        assert not found.lstrip().startswith(FORMULA)


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", cells=CELLS[:2], blocks=5)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_standings(friday: Path) -> None:
    with Run.open(friday) as run:
        found = {cell: run.results(cell) for cell in run.cells()}
        standings = build_standings(run.roster(), found, times=True)
    lines = rows(standings_csv(standings, parts=True, times=True))
    tables = [standings.overall, *standings.parts]
    every = [(table, line) for table in tables for line in table.lines]
    for (table, line), told in zip(every, lines, strict=True):
        assert (told["table"], told["bot"]) == (table.title, line.bot)
        assert told["rank"] == ("" if line.rank is None else str(line.rank))
        for name in ("mu", "margin", "points", "games", "faults", "cpu"):
            known = getattr(line, name)
            assert told[name] == ("" if known is None or known is UNSET else str(known))
    alone = rows(standings_csv(standings, parts=False, times=False))
    assert len(alone) == len(BOTS)
    assert "cpu" not in alone[0]


def test_crosstable(friday: Path) -> None:
    with Run.open(friday) as run:
        found = rate_crosstable(run.roster(), {cell: run.results(cell) for cell in run.cells()})
    lines = rows(crosstable_csv(found))
    assert len(lines) == len(BOTS) * (len(BOTS) - 1)
    told = {(line["row"], line["column"]): line for line in lines}
    for pair in found.pairs:
        line = told[pair.row, pair.column]
        assert int(line["blocks"]) == pair.blocks
        assert line["better"] == ("" if pair.better is None else str(pair.better))


def test_games(friday: Path) -> None:
    with Run.open(friday) as run:
        games = list(run.games())
    lines = rows(format_rows([GAME_COLUMNS]) + games_csv(games))
    assert len(lines) == sum(game.seats for game in games)
    for game in games:
        own = [line for line in lines if line["game"] == game.id]
        assert [int(line["seat"]) for line in own] == list(range(game.seats))
        assert [line["bot"] for line in own] == list(game.bots)
        for title, values in {
            "score": game.scores,
            "rank": game.ranks,
            "faults": game.faults,
            "decisions": game.decisions,
            "cpu_us": game.cpu,
        }.items():
            assert [int(line[title]) for line in own] == list(values)
