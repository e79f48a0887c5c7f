"""A file that was tampered with does not hold together."""

from pathlib import Path

import pytest

from arena.store.run import Run
from tests.store.blocks import header
from tests.store.writer import made


def played(folder: Path) -> None:
    with Run.create(folder, header()) as run:
        run.add(made(number) for number in range(5))
        assert run.findings() == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM block WHERE id = 2", "1 blocks have been taken away"),
        ("UPDATE game SET block = 99 WHERE block = 2", "3 games belong to no block"),
        ("UPDATE entry SET block = 99 WHERE block = 2", "3 entries belong to no block"),
        (
            "UPDATE kept SET block = 99 WHERE block = 2",
            "the records of 1 blocks belong to no block",
        ),
    ],
)
def test_what_is_found(tmp_path: Path, statement: str, said: str) -> None:
    played(tmp_path)
    with Run.write(tmp_path) as run:
        run.connection.execute("PRAGMA foreign_keys = OFF")
        run.connection.execute(statement)
    with Run.open(tmp_path) as run:
        assert said in run.findings()


def test_a_damaged_file(tmp_path: Path) -> None:
    played(tmp_path)
    file = tmp_path / "run.db"
    whole = bytearray(file.read_bytes())
    with Run.open(tmp_path) as run:
        (page,) = run.connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'game'"
        ).fetchone()
    whole[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    file.write_bytes(whole)
    with Run.open(tmp_path) as run:
        assert any(line.startswith("the file is damaged") for line in run.findings())
