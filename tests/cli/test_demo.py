"""`arena demo` plays a small tournament and shows it."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.slow
def test_a_tournament_that_can_be_looked_at(arena: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "demo")
    done = arena("demo", "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo: 6 bots, 18 tables, 324 blocks, 1,620 games" in done.stdout
    assert "demo · 6 cells · 324 blocks · 1,620 games" in done.stdout
    assert "no faults" in done.stdout or "fault" not in done.stdout
    table = re.compile(r"^ +(\d)  (\S+) ", re.MULTILINE)
    ranked = table.findall(done.stdout)
    assert [rank for rank, _ in ranked] == ["1", "2", "3", "4", "5", "6"]
    assert table.findall(arena("standings", out).stdout) == ranked
