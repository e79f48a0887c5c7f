"""The option `--on`: a wrong address is one sentence, and nothing is started."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.options import backend_text
from tests.cli.invoke import invoke_arena
from tests.ladder import factories

FILE = "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\ndeals: 1\n"

RUBBISH = ["", "a b", "none.json", "\x1b[31mred"]


@pytest.mark.parametrize("on", RUBBISH, ids=ascii)
def test_invalid_addresses(tmp_path: Path, on: str) -> None:
    (tmp_path / "friday.yaml").write_text(FILE)
    out = tmp_path / "run"
    said = invoke_arena("run", tmp_path / "friday.yaml", "--out", out, "--on", on)
    assert said.exit_code == 2
    assert said.stderr.startswith("Error: ")
    assert said.stderr.count("\n") == 1
    assert "\x1b" not in said.stderr
    assert not out.exists()


@pytest.mark.parametrize("on", ["a b", "none.json"])
def test_invalid_addresses_for_a_night(tmp_path: Path, on: str) -> None:
    ladder = factories.create_ladder(tmp_path / "ladder")
    before = factories.ladder_state(ladder.folder)
    said = invoke_arena("ladder", "night", ladder.folder, "--games", 6, "--on", on)
    assert (said.exit_code, said.stderr[:7], said.stderr.count("\n")) == (2, "Error: ", 1)
    assert factories.ladder_state(ladder.folder) == before


HIDDEN = """
import sys
sys.modules["distributed"] = None
from arena.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_without_dask(tmp_path: Path) -> None:
    """Dask is not installed."""
    (tmp_path / "friday.yaml").write_text(FILE)
    words = ["run", "friday.yaml", "--out", "run", "--on", "tcp://127.0.0.1:1"]
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: a cluster needs Dask (")
    assert done.stderr.endswith("run \"pip install 'stichkampf[dask]'\"\n")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_this_machine_needs_no_dask(tmp_path: Path) -> None:
    """Dask is not imported if it is not needed."""
    (tmp_path / "friday.yaml").write_text(FILE + "sandbox: none\nbackend: {dask: 'tcp://none:1'}\n")
    words = ["run", "friday.yaml", "--out", "run", "--on", "local", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "run.db").exists()


def test_the_backend_in_words() -> None:
    assert (backend_text(1), backend_text(12)) == ("1 core", "12 cores")
