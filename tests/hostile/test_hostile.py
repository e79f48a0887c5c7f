"""Bots that attack: contained, judged rightly, and nobody else feels it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.cases import CASES, Case, Group
from tests.hostile.ordinary import REPOSITORY, as_user
from tests.hostile.outcomes import Outcome, recorded

LONGEST = 60
"""Seconds after which an attack hangs."""

RESIDUAL = {("burns_in_sparks", "user")}
"""What no limit counts without control groups, as the page on the sandbox says."""

GROUPS = sorted({case.group for case in CASES})
BETWEEN: frozenset[Group] = frozenset({"processes", "clock", "after the game"})
"""Attacks that go on between two questions, where who waits is stopped if the level is strict."""

TABLES = [
    *((group, "root", "strict") for group in GROUPS),
    *((group, "root", "standard") for group in GROUPS if group in BETWEEN),
    *((group, "user", "standard") for group in GROUPS),
]
"""An ordinary user has no control groups here, which strict needs."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="the sandbox is made by bubblewrap"),
]


def played(cases: list[Case], who: str, level: str, home: Path) -> list[Outcome]:
    """What came of attacks at tables of root's or of an ordinary user's."""
    words = [sys.executable, "-m", "tests.hostile.runner", level, *(case.name for case in cases)]
    done = subprocess.run(
        as_user(words, home) if who == "user" else words,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
        timeout=LONGEST * len(cases),
    )
    assert done.returncode == 0
    return [Outcome(**json.loads(line)) for line in done.stdout.splitlines()]


def wrong(case: Case, found: Outcome) -> Iterator[str]:
    """What is not as it should be."""
    if "BREACH" in found.said or "NOT CAGED" in found.said or case.says not in found.said:
        yield f"it said {found.said!r}"
    if any(seat not in ({0, 2} if case.twins else {0}) for seat, _, _ in found.faults):
        yield f"an innocent bot paid: {found.faults}"
    kinds = {kind for _, kind, _ in found.faults}
    if not kinds <= case.verdict or not (kinds or not case.verdict or case.optional):
        yield f"the verdict was {found.faults}"
    if any(case.why not in text for _, _, text in found.faults):
        yield f"the verdict was for another reason than {case.why!r}: {found.faults}"
    if not found.same:
        yield "without it the innocent would have played otherwise"
    for ranks, scores in zip(found.ranks, found.scores, strict=True):
        if not case.twins and (ranks[1] < ranks[2]) != (scores[1] > scores[2]):
            yield f"the innocent rank {ranks} with {scores}"
    if found.groups:
        yield f"control groups are left: {found.groups}"


@pytest.mark.parametrize(("group", "who", "level"), TABLES)
def test_attacks_harm_nobody(
    group: str, who: str, level: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if who == "root" and os.geteuid():
        pytest.skip("only root can play as root")
    cases = [case for case in CASES if case.group == group]
    outcomes = played(cases, who, level, tmp_path / "home")
    assert [found.name for found in outcomes] == [case.name for case in cases]
    for case, found in zip(cases, outcomes, strict=True):
        recorded(record_property, case, who, level, found)
    flaws = {
        case.name: flaw
        for case, found in zip(cases, outcomes, strict=True)
        if (flaw := list(wrong(case, found))) and (case.name, who) not in RESIDUAL
    }
    assert not flaws
