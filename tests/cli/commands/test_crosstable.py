"""`arena crosstable` for people and for programs."""

import csv
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from arena.cli.commands.crosstable import letter_names, notes
from arena.ratings.crosstable import Crosstable, CrosstablePair
from tests.cli.commands.test_standings import HOSTILE
from tests.cli.invoke import invoke_arena
from tests.cli.runs import BOTS, CELLS, create_run, make_header
from tests.cli.test_grid import cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each of the 20 tables of three bots has played once in each of two cells."""
    folder = tmp_path_factory.mktemp("runs") / "friday"
    return create_run(folder, cells=(CELLS[0], CELLS[3]), blocks=20)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    many = [f"a-bot-with-a-long-name-{number}" for number in range(28)]
    return (
        create_run(folder / "hostile", about=make_header(HOSTILE), bots=HOSTILE[:-1], blocks=4),
        create_run(folder / "many", about=make_header(many), blocks=30, cells=CELLS[:1]),
    )


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_the_table_fits_the_terminal(friday: Path, others: tuple[Path, Path], columns: int) -> None:
    for folder in (friday, *others):
        done = invoke_arena("crosstable", folder, columns=columns)
        assert (done.exit_code, done.stderr) == (0, "")
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        assert done.stdout.replace("\n", "").isprintable()
        assert "nan" not in done.stdout.split()


def test_the_printed_table(friday: Path) -> None:
    text = invoke_arena("crosstable", friday).stdout
    lines = text.splitlines()
    assert lines[0] == "friday · 2 cells · 40 blocks · 120 games"
    assert lines[2].split() == ["ahead,", "%", *BOTS]
    first, last = lines[3].split(), lines[8].split()
    assert first[:2] == ["ann", "·"]
    assert first[-1].endswith("▲")
    assert last[0] == "finn"
    assert last[1].endswith("▼")
    share = int(first[-1].removesuffix("▲")) + int(last[1].removesuffix("▼"))
    assert share in {99, 100, 101}
    assert lines[10].split() == ["better,", "%", *BOTS]
    assert lines[11].split()[-1] == ">99"
    assert "Each two met in 8 blocks." in text
    assert "No pair is at odds with the ratings." in text


def test_letters_where_there_is_no_room(friday: Path) -> None:
    text = invoke_arena("crosstable", friday, columns=32).stdout
    (titles, *_) = [line for line in text.splitlines() if line.startswith("ahead, %")]
    assert titles.split()[:4] == ["ahead,", "%", "A", "B"]
    assert "\nA ann " in text


def test_pairs_that_met_unevenly_show_how_often(tmp_path: Path) -> None:
    text = invoke_arena(
        "crosstable", create_run(tmp_path / "run", cells=CELLS[:1], blocks=5)
    ).stdout
    assert any(line.startswith("blocks ") for line in text.splitlines())
    assert "Each two met" not in text


def test_json_and_csv(friday: Path) -> None:
    words = ("crosstable", friday, "--variant", "stick*")
    found = msgspec.json.decode(invoke_arena(*words, "--json").stdout, type=Crosstable)
    assert found.cells == (CELLS[3],)
    assert len(found.pairs) == 30
    rows = list(csv.DictReader(StringIO(invoke_arena(*words, "--csv").stdout)))
    assert [(row["row"], row["column"]) for row in rows] == [
        (pair.row, pair.column) for pair in found.pairs
    ]
    assert [float(row["ahead"]) for row in rows] == [pair.ahead for pair in found.pairs]


def test_markdown(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", about=make_header(["a|b", "c", "=d"]), cells=CELLS[:1])
    table = [
        cells(line) for line in invoke_arena("crosstable", folder, "--markdown").stdout.splitlines()
    ]
    assert table[0] == ["ahead, %", "a|b", "c", "=d"]
    assert [row[0] for row in table[2:]] == ["a|b", "c", "=d"]
    assert table[2][1] == ""


def test_surprising_pairs_are_described() -> None:
    odd = CrosstablePair(
        row="a\x1b", column="b", blocks=99, ahead=0.9, better=0.6, expected=0.5, z=7.96
    )
    other = CrosstablePair(
        row="b", column="a\x1b", blocks=99, ahead=0.1, better=0.4, expected=0.5, z=-7.96
    )
    found = Crosstable(
        name="friday",
        standing="score",
        cells=CELLS[:1],
        blocks=99,
        games=99,
        bots=("a\x1b", "b"),
        ranked=2,
        pairs=(odd, other),
        odd=(odd,),
    )
    met, said = notes(found)
    assert met == "Each two met in 99 blocks."
    assert said.replace("\u00a0", " ") == (
        "a␛ finishes ahead of b more often than their ratings say: 90 % of the blocks instead of "
        "50 % (z +8.0). Between these two no single number tells who is stronger."
    )


def test_nothing_is_finished_yet(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", blocks=0)
    assert "no block is finished yet" in invoke_arena("crosstable", folder).stdout
    for form in ("--json", "--csv", "--markdown"):
        assert invoke_arena("crosstable", folder, form).exit_code == 0


def test_letters() -> None:
    assert list(letter_names(3)) == ["A", "B", "C"]
    assert list(letter_names(28))[:2] == ["AA", "AB"]
    assert len(set(letter_names(676))) == 676
