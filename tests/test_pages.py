"""Every page of the documentation does what it says."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from arena.games import events, phases
from arena.games.designating import DesignatingView
from arena.games.draft_table import Column, View
from arena.games.hat_trick import DoubleTrick, HatTrickView
from arena.games.trick_table import Trick

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


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def sessions(page: Path) -> list[tuple[str, str]]:
    """Every command of a page, with what it is said to print."""
    found = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def workspace(page: Path, folder: Path) -> None:
    """A folder like the project's, with the files the page has printed; what is made in it goes."""
    for entry in ROOT.iterdir():
        (folder / entry.name).symlink_to(entry)
    for name, text in FILE.findall(page.read_text()):
        (folder / name).write_text(text)


def test_there_are_pages() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "arena/README.md", "arena/games/README.md", "tests/README.md"} <= names


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if sessions(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_commands(page: Path, tmp_path: Path) -> None:
    """The commands of a page, one after the other, print what it says."""
    workspace(page, tmp_path)
    for command, printed in sessions(page):
        run(command, printed, ROOT if command.startswith("make ") else tmp_path)


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
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
    )
    shown = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
    assert done.returncode == (2 if printed.startswith("Error: ") else 0), f"{command}: {shown}"
    wanted = re.escape(printed.strip()).replace(r"\.\.\.", ".*")
    assert not printed or re.fullmatch(wanted, shown.strip(), re.DOTALL), f"{command}: {shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python(page: Path) -> None:
    """The examples of a page, one after the other, in one interpreter."""
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, "python"):
        if ">>>" not in block:
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 (it is our own page)
            continue
        example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(example, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        names |= example.globs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), target


GAMES_PAGE = (ROOT / "arena/games/README.md").read_text()


@pytest.mark.parametrize("view", [DesignatingView, HatTrickView, View, Trick, DoubleTrick, Column])
def test_every_field_of_a_view_is_explained(view: type[Struct]) -> None:
    for field in view.__struct_fields__:
        assert f"`{field}`" in GAMES_PAGE


def test_every_event_and_every_decision_is_explained() -> None:
    for kind in vars(events).values():
        if isinstance(kind, type) and issubclass(kind, events.Event) and kind is not events.Event:
            assert f"`{kind.__struct_config__.tag}`" in GAMES_PAGE
    for name, kind in vars(phases).items():
        if name.isupper() and name != "OVER":
            assert f"`{kind}`" in GAMES_PAGE
