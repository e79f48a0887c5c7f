"""What is logged goes into the run's folder, and warnings are shown."""

import logging
import re
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournaments.journal import FILE, journal

LOG = logging.getLogger("arena.tests")


class Listed(logging.Handler):
    """Keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def test_one_file_and_warnings_on_screen(tmp_path: Path) -> None:
    screen = Listed()
    with journal(tmp_path, screen):
        LOG.info("quietly %s", "ü\udcff")
        LOG.warning("loudly")
    with journal(tmp_path):
        LOG.info("later")
    LOG.warning("after it was closed")
    lines = (tmp_path / FILE).read_text().splitlines()
    assert screen.said == ["loudly"]
    assert [line.partition(": ")[2] for line in lines] == ["quietly ü\\udcff", "loudly", "later"]
    assert re.match(r"2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z INFO MainProcess: ", lines[0])


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with (
        pytest.raises(ArenaError, match="cannot be written: Is a directory"),
        journal(tmp_path),
    ):
        pass
