"""What is logged goes into the run's folder, and warnings are shown."""

import logging
import re
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournaments.play.logging_setup import LOG_FILE_NAME, log_to_file

LOG = logging.getLogger("arena.tests")


class Listed(logging.Handler):
    """Keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def test_the_log_file_and_warnings_on_the_terminal(tmp_path: Path) -> None:
    screen = Listed()
    with log_to_file(tmp_path / LOG_FILE_NAME, screen):
        LOG.info("quietly %s", "ü\udcff")
        LOG.warning("loudly")
    with log_to_file(tmp_path / LOG_FILE_NAME):
        LOG.info("later")
    LOG.warning("after it was closed")
    lines = (tmp_path / LOG_FILE_NAME).read_text().splitlines()
    assert screen.said == ["loudly"]
    assert [line.partition(": ")[2] for line in lines] == ["quietly ü\\udcff", "loudly", "later"]
    assert re.match(r"2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z INFO MainProcess: ", lines[0])


def break_down(text: str) -> None:
    raise ValueError(text)


def test_no_text_passes_for_a_record(tmp_path: Path) -> None:
    """Not even below one, where only a traceback stands."""
    with log_to_file(tmp_path / LOG_FILE_NAME):
        LOG.info("%s said", "x\n2030-01-01 00:00:00.000Z ERROR MainProcess: forged\x1b[2J\x9b")
        LOG.info("y" * 100_000)
        try:
            break_down("\x1b\n2030-01-01 forged")
        except ValueError:
            LOG.exception("it broke")
    first, second, third, *trace = (tmp_path / LOG_FILE_NAME).read_text().splitlines()
    assert first.endswith(
        ": x\\u000a2030-01-01 00:00:00.000Z ERROR MainProcess: forged\\u001b[2J\\u009b said"
    )
    assert len(second) < 2100
    assert third.endswith("ERROR MainProcess: it broke")
    assert trace[0] == "    Traceback (most recent call last):"
    assert trace[-2:] == ["    ValueError: \\u001b", "    2030-01-01 forged"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / LOG_FILE_NAME).mkdir()
    with (
        pytest.raises(ArenaError, match="cannot be written: Is a directory"),
        log_to_file(tmp_path / LOG_FILE_NAME),
    ):
        pass
