"""What a tournament's file says of the sandbox, and what blocks are known by."""

from pathlib import Path

import pytest

from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.tournaments.config.resolve import DEFAULT_LIMITS, limits_text
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.plan.plan import Plan
from tests.suite.tools import skip_without_sandbox

sandboxed = pytest.mark.needs("sandbox")

FILE = "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\ndeals: 1\n"


def tournament_with(
    folder: Path, sandbox: str = "", level: SandboxLevel | None = None
) -> Tournament:
    file = folder / "friday.yaml"
    file.write_text(FILE + (f"sandbox: {sandbox}\n" if sandbox else ""))
    return load_tournament(file, level)


def keys(tournament: Tournament) -> set[bytes]:
    plan = Plan(tournament, "a secret")
    return {block.key for chunk in plan.stage_chunks(0, {}) for block in chunk.blocks}


def test_no_sandbox_key(tmp_path: Path) -> None:
    found = tournament_with(tmp_path)
    assert found.referee_config.sandbox == select_sandbox(None, ResourceLimits())
    assert (found.sandbox, found.settings()["sandbox"]) == (
        DEFAULT_LIMITS,
        "none",
    )  # older than sandboxes
    assert tournament_with(tmp_path, "null").referee_config == found.referee_config


def test_level_none(tmp_path: Path) -> None:
    found = tournament_with(tmp_path, "none")
    assert found.referee_config.sandbox == Sandbox()
    assert found.referee_config.sandbox.options == ["--sandbox", "none"]


@sandboxed
@pytest.mark.parametrize("key", ["standard", "{level: standard}", "{}"])
def test_level_standard(tmp_path: Path, key: str) -> None:
    found = tournament_with(tmp_path, key).referee_config.sandbox
    assert (found.level, found.limits, found.stops_idle_bots) == (
        SandboxLevel.STANDARD,
        ResourceLimits(),
        False,
    )
    assert found.support
    assert found.options == []


@sandboxed
def test_limits(tmp_path: Path) -> None:
    found = tournament_with(tmp_path, "{memory: 64, tmp: 8, waiting: stopped}")
    sandbox = found.referee_config.sandbox
    assert (sandbox.level, sandbox.stops_idle_bots) == (SandboxLevel.STANDARD, True)
    assert sandbox.limits == ResourceLimits(memory=64, tmp=8)
    assert found.sandbox == "{memory: 64, tmp: 8, waiting: stopped}"


def test_level_strict_stops_idle_bots(tmp_path: Path) -> None:
    try:
        found = tournament_with(tmp_path, "strict")
    except SandboxUnavailable as error:
        skip_without_sandbox(error)
    assert (found.referee_config.sandbox.level, found.referee_config.sandbox.stops_idle_bots) == (
        SandboxLevel.STRICT,
        True,
    )
    assert found.sandbox == "{waiting: stopped}"


@sandboxed
def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    off = tournament_with(
        tmp_path, "{level: standard, memory: 64}", SandboxLevel.NONE
    ).referee_config.sandbox
    assert (off.level, off.support, off.limits) == (
        SandboxLevel.NONE,
        None,
        ResourceLimits(memory=64),
    )
    assert (
        tournament_with(tmp_path, "none", SandboxLevel.STANDARD).referee_config.sandbox.level
        is SandboxLevel.STANDARD
    )


def test_an_unavailable_sandbox_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.sandbox.sandbox.probe_host", without)
    assert tournament_with(tmp_path).referee_config.sandbox.unavailable_reason == "no bubblewrap"
    for key in ("standard", "strict", "{memory: 64}"):
        with pytest.raises(SandboxUnavailable, match=r"friday.yaml: \$.sandbox: no bubblewrap"):
            tournament_with(tmp_path, key)
    with pytest.raises(SandboxUnavailable, match=r"^no bubblewrap"):
        tournament_with(tmp_path, "none", SandboxLevel.STANDARD)


def without() -> None:
    raise SandboxUnavailable("no bubblewrap")


@sandboxed
def test_blocks_are_others_only_with_other_limits(tmp_path: Path) -> None:
    """A run that began without a sandbox resumes in one."""
    usual = keys(tournament_with(tmp_path))
    for key in ("none", "standard", "{memory: 256, waiting: charged}"):
        assert keys(tournament_with(tmp_path, key)) == usual
    assert keys(tournament_with(tmp_path, "standard", SandboxLevel.NONE)) == usual
    others = [
        keys(tournament_with(tmp_path, key)) for key in ("{memory: 64}", "{waiting: stopped}")
    ]
    assert len({*map(frozenset, others), frozenset(usual)}) == 3


def test_limits_as_they_would_stand_in_a_file() -> None:
    assert limits_text(Sandbox()) == "none"
    assert limits_text(Sandbox(limits=ResourceLimits(files=64))) == "{files: 64}"
    assert limits_text(Sandbox(stops_idle_bots=True)) == "{waiting: stopped}"
