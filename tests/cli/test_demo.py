"""`arena demo` plays a small tournament and shows it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.slow
def test_a_tournament_that_can_be_looked_at(arena: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "demo")
    done = arena("demo", "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo: 6 bots, 30 tables, 360 blocks, 1,800 games" in done.stdout
    assert "demo · 6 cells · 360 blocks · 1,800 games" in done.stdout
    assert "no faults" in done.stdout or "fault" not in done.stdout
    ranked = [line.split()[:2] for line in done.stdout.splitlines() if line[:4].strip().isdigit()]
    assert [rank for rank, _ in ranked] == ["1", "2", "3", "4", "5", "6"]
    standings = arena("standings", out)
    assert [rank for rank in ranked if rank[1] in standings.stdout] == ranked
