"""Copies in memory of what bots see."""

import os
import shutil
from pathlib import Path

import pytest

from arena.bots.sandbox import system_image
from arena.bots.sandbox.system_image import ImageUnavailable, copy_into_memory


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for copies that no other test knows."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(system_image, "SHM", folder)
    copy_into_memory.cache_clear()
    return folder


@pytest.fixture
def original(tmp_path: Path) -> Path:
    folder = tmp_path / "original"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "tool").write_text("a program")
    (folder / "bin" / "tool").chmod(0o4755)
    os.link(folder / "bin" / "tool", folder / "bin" / "same")
    (folder / "bin" / "link").symlink_to("tool")
    (folder / "library.a").write_text("for builds only")
    return folder


def again(path: Path) -> Path:
    """The copy that another process would get."""
    copy_into_memory.cache_clear()
    return Path(copy_into_memory(str(path)))


def test_a_copy_holds_the_same(original: Path) -> None:
    copy = Path(copy_into_memory(str(original)))
    assert (copy / "bin" / "tool").read_text() == "a program"
    assert (copy / "bin" / "tool").stat().st_mode & 0o7777 == 0o755, "nobody becomes somebody else"
    assert (copy / "bin" / "same").stat().st_ino == (copy / "bin" / "tool").stat().st_ino
    assert (copy / "bin" / "link").readlink() == Path("tool")
    assert not (copy / "library.a").exists()


def test_a_copy_is_renewed_after_a_change(original: Path) -> None:
    first = copy_into_memory(str(original))
    assert str(again(original)) == first
    (original / "bin" / "tool").write_text("another program")
    second = again(original)
    assert str(second) != first
    assert (second / "bin" / "tool").read_text() == "another program"


def test_copies_in_use_are_kept(original: Path) -> None:
    first = Path(copy_into_memory(str(original)))
    (original / "bin" / "tool").write_text("another program")
    again(original)
    assert first.exists(), "this process has it"
    while system_image.copy_locks:
        system_image.copy_locks.pop().close()
    (original / "bin" / "tool").write_text("a third program")
    again(original)
    assert not first.exists()


def test_copies_of_removed_folders_are_removed(original: Path) -> None:
    first = Path(copy_into_memory(str(original / "bin")))
    while system_image.copy_locks:
        system_image.copy_locks.pop().close()
    shutil.rmtree(original / "bin")
    again(original)
    assert not first.exists()


def test_a_single_file(original: Path) -> None:
    assert Path(copy_into_memory(str(original / "bin" / "tool"))).read_text() == "a program"


def test_a_missing_folder_has_no_copy(original: Path) -> None:
    assert copy_into_memory(str(original / "nothing")) == str(original / "nothing")


def test_a_folder_of_another_user_is_not_used(original: Path, place: Path) -> None:
    folder = place / f"stichkampf-{os.geteuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(ImageUnavailable, match="belongs to somebody else"):
        copy_into_memory(str(original))


def test_a_copy_needs_enough_memory(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_image, "available_memory", lambda: 3)
    with pytest.raises(ImageUnavailable, match="set 'system: host'"):
        copy_into_memory(str(original))


def test_leftovers_of_a_killed_copy_are_removed(original: Path, place: Path) -> None:
    copy = Path(copy_into_memory(str(original)))
    kind = copy.parent.name.partition("-")[0]
    (place / f"stichkampf-{os.geteuid()}" / f"{kind}.new" / "files").mkdir(parents=True)
    (original / "bin" / "tool").write_text("another program")
    assert (again(original) / "bin" / "tool").read_text() == "another program"
    assert not list(place.rglob("*.new"))
