"""Bots that attack: contained, judged rightly, and nobody else feels it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.cases import CASES, Case, Group
from tests.hostile.outcomes import Outcome, record_outcome
from tests.hostile.unprivileged_user import REPOSITORY, command_as_user

LONGEST = 60
"""Seconds after which an attack hangs."""

RESIDUAL = {("burns_in_sparks", "user")}
"""What no limit counts without control groups, as the page on the sandbox says."""

GROUPS = sorted({case.group for case in CASES})
BETWEEN: frozenset[Group] = frozenset({"processes", "clock", "after the game"})
"""Attacks that go on between two questions, where who waits is stopped if the level is strict."""

HIGHEST = ("user", "standard") if os.geteuid() else ("root", "strict")
"""An ordinary user has no control groups here, which strict needs."""

LEVELS = [
    *((group, "root", "strict") for group in GROUPS),
    *((group, "root", "standard") for group in GROUPS if group in BETWEEN),
    *((group, "user", "standard") for group in GROUPS),
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("sandbox"),
]


def run_attacks(cases: list[Case], who: str, level: str, how: str, home: Path) -> list[Outcome]:
    """What came of attacks at tables of root's or of an ordinary user's."""
    names = [case.name for case in cases]
    words = [sys.executable, "-m", "tests.hostile.runner", level, how, *names]
    home.mkdir()
    done = subprocess.run(
        command_as_user(words, home) if who == "user" else words,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
        },
        timeout=LONGEST * len(cases),
    )
    assert done.returncode == 0
    found = {each.name: each for each in map(outcome, done.stdout.splitlines())}
    assert sorted(found) == sorted(names)
    return [found[name] for name in names]


def outcome(line: str) -> Outcome:
    """A line of the runner's."""
    return Outcome(**json.loads(line))


def wrong(case: Case, found: Outcome) -> Iterator[str]:
    """What is not as it should be."""
    if "BREACH" in found.said or "NOT CAGED" in found.said or case.says not in found.said:
        yield f"it said {found.said!r}"
    if found.paid:
        yield f"an innocent bot paid: {found.paid}"
    kinds = {kind for _, kind, _ in found.faults}
    if not kinds <= case.verdict or not (kinds or not case.verdict or case.optional):
        yield f"the verdict was {found.faults}"
    if any(case.why not in text for _, _, text in found.faults):
        yield f"the verdict was for another reason than {case.why!r}: {found.faults}"
    if not found.same:
        yield "without it the innocent would have played otherwise"
    for ranks, scores in zip(found.ranks, found.scores, strict=True):
        if (ranks[0] < ranks[-1]) != (scores[0] > scores[-1]):
            yield f"the innocent rank {ranks} with {scores}"
    if found.groups:
        yield f"control groups are left: {found.groups}"


Keep = Callable[[str, object], None]


def harm_nobody(group: str, who: str, level: str, how: str, home: Path, keep: Keep) -> None:
    """All attackers of a group are contained and judged rightly."""
    cases = [case for case in CASES if case.group == group]
    outcomes = run_attacks(cases, who, level, how, home)
    for case, found in zip(cases, outcomes, strict=True):
        record_outcome(keep, case, who, level, found)
    flaws = {
        case.name: flaw
        for case, found in zip(cases, outcomes, strict=True)
        if (flaw := list(wrong(case, found))) and (case.name, who) not in RESIDUAL
    }
    assert not flaws


@pytest.mark.parametrize("group", GROUPS)
def test_attacks_cause_no_harm(group: str, tmp_path: Path, record_property: Keep) -> None:
    """Several attackers share a table, at the highest level there is for this user."""
    harm_nobody(group, *HIGHEST, "together", tmp_path / "home", record_property)


@pytest.mark.soak
@pytest.mark.parametrize(("group", "who", "level"), LEVELS)
def test_attacks_at_every_level(
    group: str, who: str, level: str, tmp_path: Path, record_property: Keep
) -> None:
    """Each attacker has a table of its own, and whole games."""
    if who == "root" and os.geteuid():
        pytest.skip("only root can play as root")
    harm_nobody(group, who, level, "alone", tmp_path / "home", record_property)
