"""Every page of the documentation does what it says."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct

from arena.games import base, events
from arena.games.hat_trick import DoubleTrick, HatTrickView
from arena.games.sticheln_engine import DesignatingView
from arena.games.trick_state import Trick
from arena.games.was_sticht.state import Column, DraftView
from tests.bots.leftover_processes import check_no_leftovers
from tests.cluster.dask_cluster import free_port
from tests.suite.tools import require, strip_sandbox_warning

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part == "runs" for part in page.relative_to(ROOT).parts)
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block with a name is a file."""


LONG_PAGES: Final = ("README.md", "tournaments/README.md")
"""Pages whose commands take minutes as printed, most of them to start bots."""

SMALLER: Final = (
    ("20 tables", "4 tables"),
    ("480 games", "16 games"),
    ("120 blocks", "4 blocks"),
    (
        "  hat-trick    sticheln    stick-em  was",
        " ...hat-trick ...sticheln ...stick-em ...was",
    ),
    ("--games 300", "--games 24"),
)
"""What `make test` replaces in the first page to play fewer games."""

FRIDAY: Final = (
    ("tables: all", "tables: {sample: 1}"),
    ("deals: 6", "deals: 1\nseed: the same order after few games"),
)
"""What `make test` replaces in the tournament that the first page plays."""

LONG: Final = ("make demo", "arena compare ducker lowest --variant sticheln")
"""Commands that cannot be told to play less; `tests/cli` has shorter demos and comparisons."""

PORT: Final = "8786"
"""The port of Dask's scheduler on the pages, instead of which any free one is taken."""

ENDING: Final = 60.0
"""Seconds in which processes that a page starts in the background have to end."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(text: str, language: str) -> list[str]:
    return [block for kind, block in BLOCK.findall(text) if kind == language]


def sessions(text: str) -> list[tuple[str, str]]:
    """Every command of a page, with what it is said to print."""
    found = []
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def workspace(text: str, folder: Path) -> None:
    """A folder like the project's, with the files the page has printed; what is made in it goes."""
    for entry in ROOT.iterdir():
        if entry.name not in {"runs", "tournaments"}:
            (folder / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "tournaments", folder / "tournaments")
    for name, content in FILE.findall(text):
        (folder / name).write_text(content)


def replaced(text: str, *changes: tuple[str, str]) -> str:
    """A text with all these changes, each of which there is something to change for."""
    for old, new in changes:
        assert old in text, f"there is no {old!r} any more"
        text = text.replace(old, new)
    return text


def shorten_friday(folder: Path) -> None:
    """Let the tournament of the first page play fewer games."""
    friday = folder / "tournaments" / "friday.yaml"
    friday.write_text(replaced(friday.read_text(), *FRIDAY))


def test_pages_are_found() -> None:
    names = {name_of(page) for page in PAGES}
    assert {"README.md", "arena/README.md", "arena/games/README.md", "tests/README.md"} <= names


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.soak] if name_of(page) in LONG_PAGES else [])
        for page in PAGES
        if sessions(page.read_text())
    ],
    ids=name_of,
)
def test_commands(page: Path, tmp_path: Path) -> None:
    """The commands of a page, one after the other, print what it says."""
    text = page.read_text()
    workspace(text, tmp_path)
    run_all(sessions(text), tmp_path)


@pytest.mark.slow
def test_commands_with_fewer_games(tmp_path: Path) -> None:
    """The first page with other numbers of games; of a long `make` only the target is tried."""
    text = replaced((ROOT / "README.md").read_text(), *SMALLER)
    workspace(text, tmp_path)
    shorten_friday(tmp_path)
    commands = sessions(text)
    assert set(LONG) <= {command for command, _ in commands}
    run_all(
        [("make demo", ""), *(pair for pair in commands if pair[0] not in LONG)],
        tmp_path,
    )


def run_all(commands: list[tuple[str, str]], folder: Path) -> None:
    """Run commands in a folder, after which none of their processes is left."""
    if any(" --on " in command or " ladder init " in command for command, _ in commands):
        require("sandbox")  # ladders and workers of a cluster need one
    port = str(free_port("127.0.0.1"))
    with check_no_leftovers(ENDING):
        for command, printed in commands:
            run(
                command.replace(PORT, port),
                printed.replace(PORT, port),
                ROOT if command.startswith("make ") else folder,
            )


def run(command: str, printed: str, folder: Path) -> None:
    """A command prints what the page says; a `make` of which it says nothing is not run again."""
    if command.startswith("make ") and not printed:
        command = command.replace("make", "make --dry-run", 1)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
            "COLUMNS": "100",
            "DASK_TEMPORARY_DIRECTORY": str(folder),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
    )
    shown = done.stdout + strip_sandbox_warning(done.stderr)
    shown = "\n".join(line.rstrip() for line in shown.splitlines())
    assert done.returncode == (2 if printed.startswith("Error: ") else 0), f"{command}: {shown}"
    wanted = re.escape(printed.strip()).replace(r"\.\.\.", ".*")
    assert not printed or re.fullmatch(wanted, shown.strip(), re.DOTALL), f"{command}: {shown}"


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if name_of(page) == "README.md" else [])
        for page in PAGES
    ],
    ids=name_of,
)
def test_python(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of a page, one after the other, in one interpreter."""
    text = page.read_text()
    workspace(text, tmp_path)
    shorten_friday(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(text, "python"):
        if ">>>" not in block:
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 (it is our own page)
            continue
        example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(example, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        names |= example.globs


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), target


GAMES_PAGE = (ROOT / "arena/games/README.md").read_text()


@pytest.mark.parametrize(
    "view", [DesignatingView, HatTrickView, DraftView, Trick, DoubleTrick, Column]
)
def test_every_field_of_a_view_is_explained(view: type[Struct]) -> None:
    for field in view.__struct_fields__:
        assert f"`{field}`" in GAMES_PAGE


def test_every_event_and_every_decision_is_explained() -> None:
    for kind in vars(events).values():
        if isinstance(kind, type) and issubclass(kind, events.Event) and kind is not events.Event:
            assert f"`{kind.__struct_config__.tag}`" in GAMES_PAGE
    for name, kind in vars(base).items():
        if name.isupper() and isinstance(kind, str) and name != "OVER":
            assert f"`{kind}`" in GAMES_PAGE
