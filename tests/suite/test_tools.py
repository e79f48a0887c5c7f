"""Tests whose tools are missing: skipped with a reason, and failed with CI=true."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.starter_kits import STARTER_KITS as LANGUAGES
from tests.bots.toolchains import make_rustup_stub, make_toolchain
from tests.suite import tools
from tests.suite.tools import KITS, TRIALS, require, require_kit, require_network

ROOT = Path(__file__).parent.parent.parent

NEEDY = """
import pytest

@pytest.mark.needs("cargo")
def test_one():
    pass

@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.needs("node", "jq")
def test_two(case):
    pass

def test_three():
    pass
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which all tools are that there are."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(tools, "CI", False)
    tools.tool_runs.cache_clear()
    yield tmp_path / "bin"
    tools.tool_runs.cache_clear()


@pytest.mark.usefixtures("path")
def test_a_missing_tool() -> None:
    with pytest.raises(pytest.skip.Exception, match="go does not run here: apt install golang-go"):
        require("go")


def test_a_tool_that_does_not_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_rustup_stub(path)
    with pytest.raises(pytest.skip.Exception, match="cargo does not run here: apt install cargo"):
        require("cargo")
    tools.tool_runs.cache_clear()
    make_toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{path}:{tmp_path}/system")
    require("cargo")


@pytest.mark.usefixtures("path")
def test_nothing_may_be_missing_from_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "CI", True)
    with pytest.raises(pytest.fail.Exception, match="with CI=true nothing may be missing: go does"):
        require("go")
    with pytest.raises(pytest.fail.Exception, match="npm does not run here"):
        require_kit("typescript")


@pytest.mark.parametrize(("ci", "outcome"), [(False, pytest.skip), (True, pytest.fail)])
def test_no_network(monkeypatch: pytest.MonkeyPatch, ci: bool, outcome: Any) -> None:
    monkeypatch.setattr(tools, "CI", ci)
    monkeypatch.setattr(tools, "is_connected", lambda: False)
    with pytest.raises(outcome.Exception, match="no network here, from which pip gets packages"):
        require_network("pip")
    require_kit("python")


def test_every_language_is_known() -> None:
    assert set(KITS) | {"python"} == {*LANGUAGES, "champion"}
    assert {tool for kit in KITS.values() for tool in kit} <= set(TRIALS)


def test_all_tools_are_installed_for_ci() -> None:
    script = (ROOT / ".ci" / "tools").read_text()
    for command, package in TRIALS.values():
        line = rf"^(need|header|everywhere) .*\b{re.escape(package)}$"
        assert re.search(line, script, re.MULTILINE), package
        shown = re.search("<(.*)>", command) or re.search(r"^\S+", command)
        assert shown
        assert shown[0].strip("<>") in script, command


@pytest.mark.slow
@pytest.mark.parametrize("ci", ["", "true"])
def test_a_table_at_the_end(tmp_path: Path, ci: str) -> None:
    (tmp_path / "test_needy.py").write_text(NEEDY)
    plugins = ["-p", "tests.suite.tools", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if ci else 0), done.stdout + done.stderr
    if ci:
        assert "1 passed, 3 errors" in done.stdout
        assert "with CI=true nothing may be missing: node does not run" in done.stdout
    else:
        table = done.stdout.partition("skipped tests, and why")[2]
        assert (
            "\n    2  node does not run here: apt install nodejs"
            "\n    1  cargo does not run here: apt install cargo\n"
        ) in table
