"""What a tournament's file says of the sandbox, and what blocks are known by."""

from pathlib import Path

import pytest

from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import Sandbox, chosen
from arena.tournaments.config import Tournament, load
from arena.tournaments.plan import Plan
from arena.tournaments.walls import USUAL, limits_told
from tests.suite.tools import no_sandbox

walled = pytest.mark.needs("sandbox")

FILE = "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\ndeals: 1\n"


def loaded(folder: Path, sandbox: str = "", level: Level | None = None) -> Tournament:
    file = folder / "friday.yaml"
    file.write_text(FILE + (f"sandbox: {sandbox}\n" if sandbox else ""))
    return load(file, level)


def keys(tournament: Tournament) -> set[bytes]:
    plan = Plan(tournament, "a secret")
    return {block.key for chunk in plan.stage(0, {}) for block in chunk.blocks}


def test_nothing_is_asked_for(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert found.terms.sandbox == chosen(None, Limits())
    assert (found.sandbox, found.settings()["sandbox"]) == (USUAL, "none")  # older than walls
    assert loaded(tmp_path, "null").terms == found.terms


def test_none_is_asked_for(tmp_path: Path) -> None:
    found = loaded(tmp_path, "none")
    assert found.terms.sandbox == Sandbox()
    assert found.terms.sandbox.options == ["--sandbox", "none"]


@walled
@pytest.mark.parametrize("key", ["standard", "{level: standard}", "{}"])
def test_standard(tmp_path: Path, key: str) -> None:
    found = loaded(tmp_path, key).terms.sandbox
    assert (found.level, found.limits, found.stopped) == (Level.STANDARD, Limits(), False)
    assert found.machine
    assert found.options == []


@walled
def test_limits(tmp_path: Path) -> None:
    found = loaded(tmp_path, "{memory: 64, tmp: 8, waiting: stopped}")
    sandbox = found.terms.sandbox
    assert (sandbox.level, sandbox.stopped) == (Level.STANDARD, True)
    assert sandbox.limits == Limits(memory=64, tmp=8)
    assert found.sandbox == "{memory: 64, tmp: 8, waiting: stopped}"


def test_strict_stops_who_waits(tmp_path: Path) -> None:
    try:
        found = loaded(tmp_path, "strict")
    except NoWalls as error:
        no_sandbox(error)
    assert (found.terms.sandbox.level, found.terms.sandbox.stopped) == (Level.STRICT, True)
    assert found.sandbox == "{waiting: stopped}"


@walled
def test_who_runs_it_has_the_last_word(tmp_path: Path) -> None:
    off = loaded(tmp_path, "{level: standard, memory: 64}", Level.NONE).terms.sandbox
    assert (off.level, off.machine, off.limits) == (Level.NONE, None, Limits(memory=64))
    assert loaded(tmp_path, "none", Level.STANDARD).terms.sandbox.level is Level.STANDARD


def test_what_cannot_be_had_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.sandbox.sandbox.tried", without)
    assert loaded(tmp_path).terms.sandbox.missing == "no bubblewrap"
    for key in ("standard", "strict", "{memory: 64}"):
        with pytest.raises(NoWalls, match=r"friday.yaml: \$.sandbox: no bubblewrap"):
            loaded(tmp_path, key)
    with pytest.raises(NoWalls, match=r"^no bubblewrap"):
        loaded(tmp_path, "none", Level.STANDARD)


def without() -> None:
    raise NoWalls("no bubblewrap")


@walled
def test_blocks_are_others_only_with_other_limits(tmp_path: Path) -> None:
    """A run that began without walls goes on inside them."""
    usual = keys(loaded(tmp_path))
    for key in ("none", "standard", "{memory: 256, waiting: charged}"):
        assert keys(loaded(tmp_path, key)) == usual
    assert keys(loaded(tmp_path, "standard", Level.NONE)) == usual
    others = [keys(loaded(tmp_path, key)) for key in ("{memory: 64}", "{waiting: stopped}")]
    assert len({*map(frozenset, others), frozenset(usual)}) == 3


def test_limits_as_they_would_stand_in_a_file() -> None:
    assert limits_told(Sandbox()) == "none"
    assert limits_told(Sandbox(limits=Limits(files=64))) == "{files: 64}"
    assert limits_told(Sandbox(stopped=True)) == "{waiting: stopped}"
