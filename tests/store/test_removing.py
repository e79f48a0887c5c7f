"""Blocks that turned out to be forged are removed without a trace, and can be played again."""

from pathlib import Path

from arena.store.run import Run
from tests.tournaments.scripted import Scripted, kept, planned, sit, small

CLEAR = (0, 10, 20, 30, 40, 50)


def test_removed_and_played_again(tmp_path: Path) -> None:
    made = small()
    sit(tmp_path, made, Scripted(made.bots, CLEAR))
    whole = planned(made)
    gone = set(sorted(whole)[:7])
    with Run.write(tmp_path) as run:
        before = {key: run.block(key) for key in whole}
        run.remove(gone)
        assert run.done() == whole - gone
        assert run.findings() == []
        assert run.size() == sum(len(before[key].results) for key in whole - gone)
        for table in ("entry", "game", "kept"):
            rows = run.connection.execute(f"SELECT count(DISTINCT block) FROM {table}")  # noqa: S608
            assert rows.fetchone() == (len(whole - gone),)
    backend = Scripted(made.bots, CLEAR)
    sit(tmp_path, made, backend)
    assert {block.key for task in backend.given for block in task.chunk.blocks} == gone
    assert kept(tmp_path) == whole
    with Run.open(tmp_path) as run:
        assert {key: run.block(key) for key in whole} == before
