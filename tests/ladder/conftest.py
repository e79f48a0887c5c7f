"""Ladders that tests share: made once, and copied by whoever changes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.ladder.create import add_reference_bots
from arena.ladder.folder import Ladder
from tests.conftest import Once
from tests.ladder import factories


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where builds are kept during a test, and nothing else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "stichkampf" / "builds"


Copy = Callable[[str, Callable[[Path], object]], Ladder]


@pytest.fixture
def copy(tmp_path: Path, once: Once, cache: Path) -> Copy:  # noqa: ARG001 (builds are its own)
    """Copy a ladder that the first who wants it makes."""

    def copied(name: str, fill: Callable[[Path], object]) -> Ladder:
        def filled(folder: Path) -> None:
            fill(folder / "ladder")

        return factories.copied(once(name, filled) / "ladder", tmp_path / "ladder")

    return copied


@pytest.fixture
def bare(copy: Copy) -> Ladder:
    """A ladder of one cell on which nobody is."""
    return copy("bare ladder", factories.new)


@pytest.fixture
def ladder(copy: Copy) -> Ladder:
    """A ladder of one cell with the reference bots."""
    return copy("ladder", lambda folder: add_reference_bots(factories.new(folder)))


@pytest.fixture
def seasoned(copy: Copy) -> Ladder:
    """A ladder of three bots with a night behind it, of which no records are kept."""
    return copy("seasoned ladder", season)


def season(folder: Path) -> None:
    """Make it."""
    made = factories.new(folder)
    for name in ("ann", "bob", "cleo"):
        factories.join(made, name, owner=name)
    factories.night(made)
