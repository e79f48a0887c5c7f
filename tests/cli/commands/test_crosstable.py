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
from tests.cli.runs import BOTS, CELLS, asked, header, played
from tests.cli.test_grid import cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each of the 20 tables of three bots has played once in each of two cells."""
    folder = tmp_path_factory.mktemp("runs") / "friday"
    return played(folder, cells=(CELLS[0], CELLS[3]), blocks=20)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    many = [f"a-bot-with-a-long-name-{number}" for number in range(28)]
    return (
        played(folder / "hostile", about=header(HOSTILE), bots=HOSTILE[:-1], blocks=4),
        played(folder / "many", about=header(many), blocks=30, cells=CELLS[:1]),
    )


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_it_fits(friday: Path, others: tuple[Path, Path], columns: int) -> None:
    for folder in (friday, *others):
        done = asked("crosstable", folder, columns=columns)
        assert (done.exit_code, done.stderr) == (0, "")
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        assert done.stdout.replace("\n", "").isprintable()
        assert "nan" not in done.stdout.split()


def test_what_a_person_sees(friday: Path) -> None:
    text = asked("crosstable", friday).stdout
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
    text = asked("crosstable", friday, columns=32).stdout
    (titles, *_) = [line for line in text.splitlines() if line.startswith("ahead, %")]
    assert titles.split()[:4] == ["ahead,", "%", "A", "B"]
    assert "\nA ann " in text


def test_pairs_that_met_unevenly_show_how_often(tmp_path: Path) -> None:
    text = asked("crosstable", played(tmp_path / "run", cells=CELLS[:1], blocks=5)).stdout
    assert any(line.startswith("blocks ") for line in text.splitlines())
    assert "Each two met" not in text


def test_json_and_csv(friday: Path) -> None:
    words = ("crosstable", friday, "--variant", "stick*")
    found = msgspec.json.decode(asked(*words, "--json").stdout, type=Crosstable)
    assert found.cells == (CELLS[3],)
    assert len(found.pairs) == 30
    rows = list(csv.DictReader(StringIO(asked(*words, "--csv").stdout)))
    assert [(row["row"], row["column"]) for row in rows] == [
        (pair.row, pair.column) for pair in found.pairs
    ]
    assert [float(row["ahead"]) for row in rows] == [pair.ahead for pair in found.pairs]


def test_markdown(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", about=header(["a|b", "c", "=d"]), cells=CELLS[:1])
    table = [cells(line) for line in asked("crosstable", folder, "--markdown").stdout.splitlines()]
    assert table[0] == ["ahead, %", "a|b", "c", "=d"]
    assert [row[0] for row in table[2:]] == ["a|b", "c", "=d"]
    assert table[2][1] == ""


def test_a_pair_at_odds_with_the_ratings_is_said_in_words() -> None:
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
    folder = played(tmp_path / "run", blocks=0)
    assert "no block is finished yet" in asked("crosstable", folder).stdout
    for form in ("--json", "--csv", "--markdown"):
        assert asked("crosstable", folder, form).exit_code == 0


def test_letters() -> None:
    assert list(letter_names(3)) == ["A", "B", "C"]
    assert list(letter_names(28))[:2] == ["AA", "AB"]
    assert len(set(letter_names(676))) == 676
