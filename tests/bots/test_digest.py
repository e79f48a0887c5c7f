"""A version stands for what a bot consists of, and for nothing else."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.digest import bot_digest
from arena.errors import BadBot


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot in a folder."""
    place = tmp_path / "bot"
    (place / "deep" / "er").mkdir(parents=True)
    (place / "bot.yaml").write_text("name: x\nrun: [./main]\n")
    (place / "main").write_text("#!/bin/sh\n")
    (place / "deep" / "er" / "weights").write_bytes(bytes(100))
    (place / "link").symlink_to("main")
    return place


def relink(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("deep/er/weights")


def no_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").write_text("main")


def commit(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("x")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda folder: (folder / "main").write_text("#!/bin/sh\n\n"),
    "content deep inside": lambda folder: (folder / "deep/er/weights").write_bytes(bytes(101)),
    "name": lambda folder: (folder / "main").rename(folder / "mane"),
    "place": lambda folder: (folder / "deep/er/weights").rename(folder / "deep/weights"),
    "executable": lambda folder: (folder / "main").chmod(0o755),
    "new file": lambda folder: (folder / "empty").touch(),
    "link": relink,
    "no link": no_link,
}

KEPT: dict[str, Callable[[Path], object]] = {
    "bytecode": lambda folder: (folder / "deep/__pycache__").mkdir(),
    "git": commit,
    "date": lambda folder: os.utime(folder / "main", (1, 1)),
    "who may write": lambda folder: (folder / "main").chmod(0o600),
    "where it is": lambda folder: folder.rename(folder.with_name("elsewhere")).rename(folder),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_that_change_the_digest(folder: Path, change: str) -> None:
    before = bot_digest(folder)
    CHANGES[change](folder)
    assert bot_digest(folder) != before


@pytest.mark.parametrize("change", KEPT)
def test_changes_that_keep_the_digest(folder: Path, change: str) -> None:
    before = bot_digest(folder)
    KEPT[change](folder)
    assert bot_digest(folder) == before


def test_ignored_files_do_not_count(folder: Path) -> None:
    before = bot_digest(folder, ["er", "core"])
    assert before != bot_digest(folder)
    (folder / "deep/er/weights").write_bytes(bytes(101))
    (folder / "deep/core").touch()
    assert bot_digest(folder, ["er", "core"]) == before


def test_a_script(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("1")
    two.write_text("1")
    assert re.fullmatch("[0-9a-f]{64}", bot_digest(one))
    assert bot_digest(one) != bot_digest(two)
    (tmp_path / "beside.py").write_text("2")
    before = bot_digest(one)
    one.write_text("3")
    assert bot_digest(one) != before


def test_names_and_contents_are_not_run_together(tmp_path: Path) -> None:
    for name, content in (("a", "bc"), ("ab", "c")):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text(content)
    assert bot_digest(tmp_path / "a") != bot_digest(tmp_path / "ab")


def test_a_special_file_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadBot, match="pipe is neither a file, a folder nor a link"):
        bot_digest(folder)


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match="none: No such file or directory"):
        bot_digest(tmp_path / "none")
