"""`arena standings` for people and for programs."""

import csv
import json
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from arena.ratings.cell import Cell
from arena.ratings.standings import Standings
from arena.store.excuses import Excuse
from arena.store.run import Run as Kept
from tests.cli.invoke import invoke_arena
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.cli.test_grid import cells
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "[red]x[/] :smile:",
    "\x1b[2J\x07evil\nline",
    "東京タワー東京タワー東京タワー",
    "-1+1",
    "never",
)


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    about = make_header(HOSTILE, name="[bold]\x1b[31mname")
    folder = tmp_path_factory.mktemp("runs") / "hostile"
    return create_run(folder, about=about, bots=HOSTILE[:-1], blocks=4)


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ([], 40),
        (["--by", "cell"], 60),
        (["--bias", "--spread"], 80),
        ([], 120),
        *map(
            soak_only,
            [
                *(([], columns) for columns in (60, 80)),
                *((["--by", "cell"], columns) for columns in (40, 80, 120)),
                *((["--bias", "--spread"], columns) for columns in (40, 60, 120)),
            ],
        ),
    ],
)
def test_the_table_fits_the_terminal(
    friday: Path, hostile: Path, columns: int, options: list[str]
) -> None:
    for folder in (friday, hostile):
        done = invoke_arena("standings", folder, *options, columns=columns)
        assert (done.exit_code, done.stderr) == (0, "")
        lines = done.stdout.splitlines()
        assert max(map(cell_len, lines)) <= columns
        assert done.stdout.replace("\n", "").isprintable()
        assert "nan" not in done.stdout


def test_the_printed_table(friday: Path) -> None:
    text = invoke_arena("standings", friday).stdout
    first, empty, titles, *rows = text.splitlines()
    assert first == "friday · 4 cells · 40 blocks · 140 games"
    assert empty == ""
    assert titles.split()[:4] == ["rank", "bot", "may", "be"]
    assert rows[0].split()[:2] == ["1", "ann"]
    assert "●" in rows[0]
    assert "points: a game, against the mean of the table" in " ".join(text.split())
    assert "arena games RUN --fault" in " ".join(text.split())


def test_more_columns_where_there_is_room(friday: Path) -> None:
    wide = invoke_arena("standings", friday, columns=140).stdout
    narrow = invoke_arena("standings", friday, columns=60).stdout
    for title in ("placed", "games", "blocks", "ms"):
        assert f" {title} " in wide.splitlines()[2]
        assert f" {title} " not in narrow.splitlines()[2]


def test_tiers_are_separated(tmp_path: Path) -> None:
    """Ann is far ahead of cleo and the others, who are all alike."""
    about = make_header(("ann", *(f"x{number}" for number in range(20)), "bob", "cleo", "dan"))
    folder = tmp_path / "run"
    with Kept.create(folder, about) as run:
        run.add(make_blocks(about, CELLS[1], 12, ("ann", "bob", "cleo", "dan"), 20.0))
    text = invoke_arena("standings", folder).stdout
    lines = text.splitlines()
    rules = [number for number, line in enumerate(lines) if line and not line.strip("┄")]
    found = msgspec.json.decode(invoke_arena("standings", folder, "--json").stdout, type=Standings)
    assert [len(tier) for tier in found.overall.tiers] == [1, 3]
    assert [lines[rule + 1].split()[0] for rule in rules] == ["2", "–"]
    assert "right at 95 %: 1 of 3 pairs of" in text
    assert "Open, with the chance of this order:" in text


def test_one_cell_is_its_own_table(friday: Path) -> None:
    words = ("standings", friday, "--variant", "sticheln", "--seats", "4")
    first = invoke_arena(*words).stdout.splitlines()[0]
    assert first == "friday · sticheln, 4 seats · 10 blocks · 40 games"
    alone = json.loads(invoke_arena(*words, "--json").stdout)
    whole = json.loads(invoke_arena("standings", friday, "--json").stdout)
    assert alone["overall"]["lines"] == whole["parts"][1]["lines"]


def test_json(friday: Path) -> None:
    text = invoke_arena("standings", friday, "--json").stdout
    found = msgspec.json.decode(text, type=Standings)
    assert (found.name, found.overall.blocks, len(found.parts)) == ("friday", 40, 4)
    assert found.overall.cells == tuple(sorted(CELLS))
    assert found.overall.lines[0].bot == "ann"
    assert invoke_arena("standings", friday, "--json").stdout == text
    assert '"cpu"' not in text
    assert '"audit"' not in text
    timed = json.loads(invoke_arena("standings", friday, "--json", "--times").stdout)
    assert 0.1 < timed["overall"]["lines"][0]["cpu"] < 1
    by = json.loads(invoke_arena("standings", friday, "--json", "--by", "seats").stdout)
    assert [part["title"] for part in by["parts"]] == ["3 seats", "4 seats"]


def test_json_of_what_is_asked_for(friday: Path) -> None:
    words = ("--json", "--bias", "--spread", "--variant", "stick-em")
    found = msgspec.json.decode(invoke_arena("standings", friday, *words).stdout, type=Standings)
    assert isinstance(found.bias, tuple)
    assert isinstance(found.spread, tuple)
    assert [one.cell for one in found.bias] == [Cell("stick-em", 3)]
    assert [bot.bot for bot in found.spread[0].bots] == [line.bot for line in found.overall.lines]
    assert len(found.bias[0].seats) == 3


def test_csv(friday: Path, hostile: Path) -> None:
    rows = list(csv.DictReader(StringIO(invoke_arena("standings", friday, "--csv").stdout)))
    assert [row["bot"] for row in rows] == list(BOTS)
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert {row["table"] for row in rows} == {"overall"}
    assert float(rows[-1]["points"]) < 0
    words = ("standings", friday, "--csv", "--by", "variant", "--times")
    rows = list(csv.DictReader(StringIO(invoke_arena(*words).stdout)))
    assert len(rows) == 6 * 4
    assert float(rows[0]["cpu"]) > 0
    text = invoke_arena("standings", hostile, "--csv").stdout
    names = [row["bot"] for row in csv.DictReader(StringIO(text))]
    assert {"'=cmd|' /C calc'!A0", "'-1+1", "␛[2J␇evil␊line"} <= set(names)
    assert text.count("\n") == 1 + len(HOSTILE)


@pytest.mark.parametrize(("by", "columns"), [([], 10), (["--by", "seats"], 4)])
def test_markdown(hostile: Path, by: list[str], columns: int) -> None:
    text = invoke_arena("standings", hostile, "--markdown", *by).stdout
    table = [cells(line) for line in text.splitlines()]
    assert {len(row) for row in table} == {columns}
    place = table[0].index("bot")
    assert table[2][place] == "=cmd|' /C calc'!A0"
    assert table[-1][place] == "never"


def test_by_variant(friday: Path) -> None:
    lines = invoke_arena("standings", friday, "--by", "variant").stdout.splitlines()
    (titles,) = [line for line in lines if line.startswith("mu ") and "TrueSkill" not in line]
    assert titles.split() == ["mu", "overall", "sticheln", "+mild", "stick-em"]
    (best,) = [line for line in lines if line.startswith("ann ")]
    assert best.count("±") == 4
    assert best.count("▸") == 4
    assert any(line.startswith("sticheln+mild: ann") for line in lines)


def test_nothing_is_finished_yet(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", blocks=0)
    done = invoke_arena("standings", folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "friday: no block is finished yet; ask again when one is.\n"
    found = json.loads(invoke_arena("standings", folder, "--json").stdout)
    assert found["overall"]["lines"][0]["rank"] is None
    for form in ("--csv", "--markdown"):
        assert invoke_arena("standings", folder, form).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--variant", "was-sticht"], "no block of"),
        (["--seats", "7"], "no block of"),
    ],
)
def test_a_mistake_is_one_sentence(friday: Path, words: list[str], said: str) -> None:
    done = invoke_arena("standings", friday, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {said}")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_is_not_a_run(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        done = invoke_arena("standings", folder)
        assert (done.exit_code, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert "is not a run" in done.stderr


def test_standings_of_a_run_in_progress(tmp_path: Path) -> None:
    about = make_header()
    folder = create_run(tmp_path / "run", about=about, cells=CELLS[:1], blocks=5)
    with Kept.open_for_writing(folder) as run:
        assert invoke_arena("standings", folder).stdout.startswith(
            "friday · sticheln, 3 seats · 5 b"
        )
        run.add(make_blocks(about, CELLS[1], 3, BOTS, 6.0))
        assert "2 cells · 8 blocks" in invoke_arena("standings", folder).stdout


def test_anchors_and_bots_that_miss_cells(tmp_path: Path) -> None:
    about = make_header(anchors="eve")
    folder = create_run(tmp_path / "run", about=about, cells=CELLS[:1])
    with Kept.open_for_writing(folder) as run:
        run.add(make_blocks(about, CELLS[3], 10, BOTS[:-1], 6.0))
    text = " ".join(invoke_arena("standings", folder, columns=100).stdout.split())
    assert "eve°" in text
    assert "° Anchor: eve." in text
    assert "25 is the mean of the anchors" in text
    assert "Not ranked, because blocks are missing: finn (not in stick-em, 3 seats)." in text


def test_excuses_are_beside_faults(tmp_path: Path, friday: Path) -> None:
    """A column for people only where there are some; programs always have it."""
    folder = create_run(tmp_path / "friday")
    with Kept.open_for_writing(folder) as run:
        for _ in range(2):
            run.add_excuse(
                Excuse(bot="eve", variant="sticheln", seats=4, chunk=bytes(16), text="", at="")
            )
    for place, excused in ((friday, False), (folder, True)):
        for form in ([], ["--markdown"]):
            text = invoke_arena("standings", place, *form, columns=160).stdout
            assert ("excuses" in text) == excused
        table = json.loads(invoke_arena("standings", place, "--json").stdout)
        lines = {line["bot"]: line["excuses"] for line in table["overall"]["lines"]}
        assert lines == {bot: 2 * (excused and bot == "eve") for bot in BOTS}
        parts = {part["title"]: part["excuses"] for part in table["parts"]}
        assert parts == {str(cell): 2 * (excused and cell == CELLS[1]) for cell in CELLS}
        rows = list(csv.DictReader(StringIO(invoke_arena("standings", place, "--csv").stdout)))
        assert {row["bot"]: int(row["excuses"]) for row in rows} == lines
    text = invoke_arena("standings", folder, columns=160).stdout
    assert "2 excuses, all of eve (2): the machine killed it" in text
