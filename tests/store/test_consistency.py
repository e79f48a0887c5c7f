"""Damage to the database of a run is found."""

from pathlib import Path

import pytest

from arena.store.run import Run
from tests.store.blocks import make_header
from tests.store.endless_writer import make_numbered_block


def create_run(folder: Path) -> None:
    with Run.create(folder, make_header()) as run:
        run.add(make_numbered_block(number) for number in range(5))
        assert run.find_problems() == []


@pytest.mark.parametrize(
    ("statement", "problem"),
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
def test_damage_that_a_check_finds(tmp_path: Path, statement: str, problem: str) -> None:
    create_run(tmp_path)
    with Run.open_for_writing(tmp_path) as run:
        run.connection.execute("PRAGMA foreign_keys = OFF")
        run.connection.execute(statement)
    with Run.open(tmp_path) as run:
        assert problem in run.find_problems()


def test_a_damaged_file(tmp_path: Path) -> None:
    create_run(tmp_path)
    file = tmp_path / "run.db"
    whole = bytearray(file.read_bytes())
    with Run.open(tmp_path) as run:
        (page,) = run.connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'game'"
        ).fetchone()
    whole[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    file.write_bytes(whole)
    with Run.open(tmp_path) as run:
        assert any(line.startswith("the file is damaged") for line in run.find_problems())
