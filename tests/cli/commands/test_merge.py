"""`arena merge` makes one run of two, and says what contradicts."""

import json
from pathlib import Path

import pytest

from arena.store.block import PlayedBlock
from arena.store.run import Run as Kept
from tests.cli.invoke import invoke_arena
from tests.store.blocks import make_block, make_header

pytestmark = pytest.mark.slow

BLOCKS = [make_block(number) for number in range(4)]


def create_run(folder: Path, blocks: list[PlayedBlock]) -> str:
    with Kept.create(folder, make_header()) as run:
        run.add(blocks)
    return str(folder)


def test_two_runs(tmp_path: Path) -> None:
    first, second = create_run(tmp_path / "a", BLOCKS[:3]), create_run(tmp_path / "b", BLOCKS[2:])
    out = tmp_path / "out put"
    done = invoke_arena("merge", first, second, "-o", str(out))
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "4 blocks, 12 games; 1 duplicates dropped, 0 conflicts\n"
        f"Standings: arena standings '{out}'\n"
    )
    with Kept.open(out) as run:
        assert run.block_keys() == {one.key for one in BLOCKS}


def test_conflicts(tmp_path: Path) -> None:
    other = make_block(1, luck=1)
    first, second = create_run(tmp_path / "a", BLOCKS), create_run(tmp_path / "b", [other])
    done = invoke_arena("merge", first, second, "-o", str(tmp_path / "out"))
    assert done.exit_code == 1
    named, counted, _ = done.stdout.splitlines()
    assert named.startswith(f"conflict: sticheln, ann, bob, cleo, game {other.key.hex()[:10]}-0: ")
    for folder, one in ((first, BLOCKS[1]), (second, other)):
        assert folder in named
        assert str(list(one.results[0].points)) in named
    assert counted == "4 blocks, 12 games; 0 duplicates dropped, 1 conflicts"
    done = invoke_arena("merge", first, second, "-o", str(tmp_path / "out2"), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["named"][0]["block"] == other.key.hex()


def test_wrong_arguments_are_rejected(tmp_path: Path) -> None:
    first = create_run(tmp_path / "a", BLOCKS)
    Kept.create(tmp_path / "b", make_header(seed="x")).close()
    out = ["-o", str(tmp_path / "out")]
    for words, said in (
        ([first, *out], "name at least two runs"),
        ([first, str(tmp_path), *out], f"{tmp_path} is not a run"),
        ([first, first, "-o", first], f"{first} is there already; name a folder that is not"),
        ([first, str(tmp_path / "b"), *out], "are not of the same plan: their seeds differ"),
    ):
        done = invoke_arena("merge", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert said in done.stderr
        assert not (tmp_path / "out").exists()
