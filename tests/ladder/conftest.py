"""Ladders that tests share: made once, and copied by whoever changes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.ladder.create import add_reference_bots
from arena.ladder.folder import Ladder
from tests.conftest import MakeOnce
from tests.ladder import factories


@pytest.fixture
def build_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The build cache of a single test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "stichkampf" / "builds"


CopySharedLadder = Callable[[str, Callable[[Path], object]], Ladder]


@pytest.fixture
def copy_shared_ladder(tmp_path: Path, make_once: MakeOnce, build_cache: Path) -> CopySharedLadder:  # noqa: ARG001 (builds are its own)
    """Return a copy of a ladder that is created once for all test processes."""

    def copied(name: str, fill: Callable[[Path], object]) -> Ladder:
        def filled(folder: Path) -> None:
            fill(folder / "ladder")

        return factories.copy_ladder(make_once(name, filled) / "ladder", tmp_path / "ladder")

    return copied


@pytest.fixture
def empty_ladder(copy_shared_ladder: CopySharedLadder) -> Ladder:
    """A ladder of one cell without bots."""
    return copy_shared_ladder("bare ladder", factories.create_ladder)


@pytest.fixture
def ladder(copy_shared_ladder: CopySharedLadder) -> Ladder:
    """A ladder of one cell with the reference bots."""
    return copy_shared_ladder(
        "ladder", lambda folder: add_reference_bots(factories.create_ladder(folder))
    )


@pytest.fixture
def played_ladder(copy_shared_ladder: CopySharedLadder) -> Ladder:
    """A ladder of three bots with one played night without records."""
    return copy_shared_ladder("seasoned ladder", play_night)


def play_night(folder: Path) -> None:
    """Create a ladder of three bots and add a night."""
    made = factories.create_ladder(folder)
    for name in ("ann", "bob", "cleo"):
        factories.add_version(made, name, owner=name)
    factories.add_night(made)
