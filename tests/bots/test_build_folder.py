"""Folders that somebody else has filled: no link is followed, and all of it can be removed."""

import os
from pathlib import Path

import pytest

from arena.bots.build_folder import BadBuild, exceeds_size, leads_out, reclaim_folder, remove_folder

HERE = Path.cwd()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bot"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    ("target", "out"),
    [
        ("file", False),
        ("gone", False),
        ("sub/../file", False),
        ("..", True),
        ("../other", True),
        ("sub/../../other", True),
        ("up/other", True),
        ("/etc/shadow", True),
        ("/usr/bin/env", False),
        ("/usr/../etc/shadow", True),
        ("itself", False),
    ],
)
def test_links_that_lead_out(folder: Path, target: str, out: bool) -> None:
    (folder / "sub").mkdir()
    (folder / "file").touch()
    (folder / "up").symlink_to("..")
    link = folder / "itself"
    link.symlink_to(target)
    assert leads_out(link, folder, ("/usr",)) == out


def test_a_folder_that_is_taken_keeps_what_links_lead_to_as_it_is(
    folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.touch(mode=0o600)
    (folder / "link").symlink_to("../other")
    (folder / "script").touch(mode=0o4711)
    with pytest.raises(BadBuild, match=r"has left link, a link to ../other, out of the bot's"):
        reclaim_folder(folder, ())
    assert other.stat().st_mode & 0o7777 == 0o600
    assert (folder / "script").stat().st_mode & 0o7777 == 0o755


def test_file_names_that_are_not_utf_8(folder: Path) -> None:
    os.mkfifo(os.fsencode(folder) + b"/\xff\n")
    with pytest.raises(BadBuild, match="which is neither a file, a folder nor a link"):
        reclaim_folder(folder, ())


@pytest.mark.slow
def test_folders_are_removed_completely(folder: Path, tmp_path: Path) -> None:
    """However deep, forbidden or linked: what a link leads to stays."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    (folder / "link").symlink_to(kept)
    (folder / "closed").mkdir()
    (folder / "closed" / "file").touch()
    (folder / "closed").chmod(0)
    os.chdir(folder)
    try:
        for _ in range(3000):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(HERE)
    remove_folder(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").exists()
    remove_folder(folder)  # there is none


def test_the_size_of_a_folder(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "file").write_bytes(bytes(1 << 20))
    assert exceeds_size(folder, 1 << 20)
    assert not exceeds_size(folder, (1 << 20) + (64 << 10))
    for number in range(100):
        (folder / f"empty{number}").touch()
    assert exceeds_size(folder, (1 << 20) + (64 << 10)), "what is empty counts too"
