"""What the check for leftovers finds, tried in a suite of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

CONFTEST = """
from pathlib import Path
import tests.suite.leftovers as plugin
from tests.suite.leftovers import pytest_configure, pytest_sessionstart
plugin.END_TIMEOUT = 0.5
plugin.FOLDERS = ()
plugin.IMAGES = plugin.CGROUP_ROOT = Path("nowhere")
plugin.FIRST_BOT_UID = 1 << 40
"""
"""Looks only at what this suite itself leaves, for others run beside it."""

LEAVES = """
import subprocess, sys, tempfile
children = []

def test_it():
    {what}
"""


def run(tmp_path: Path, what: str) -> "subprocess.CompletedProcess[str]":
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(LEAVES.format(what=what))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_nothing_is_left(tmp_path: Path) -> None:
    done = run(tmp_path, "tempfile.TemporaryFile().close()")
    assert done.returncode == 0, done.stdout
    assert not list(tmp_path.glob("pytest-stichkampf-*"))


@pytest.mark.slow
def test_a_process_and_a_file(tmp_path: Path) -> None:
    program = "import time; print(flush=True); time.sleep(600)"
    what = (
        f"children.append(subprocess.Popen([sys.executable, '-c', {program!r}],"
        " stdout=subprocess.PIPE)); children[0].stdout.readline(); tempfile.mkdtemp();"
        f" open({str(tmp_path / 'pid')!r}, 'w').write(str(children[0].pid))"
    )
    done = run(tmp_path, what)
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert done.returncode == 1
    assert "1 passed" in done.stdout
    assert f"process: {(tmp_path / 'pid').read_text()} {sys.executable}" in done.stdout
    left = next(tmp_path.glob("pytest-stichkampf-*/tmp/*"))
    assert f"file: {left}" in done.stdout
    shutil.rmtree(left)
