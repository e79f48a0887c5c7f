"""Workers that somebody has broken into: nothing of theirs counts, and nothing of theirs runs."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.cluster import dask_decoding, result_checks
from tests.cluster import hostile_worker
from tests.cluster.hostile_worker import ATTACK, FROM, OWNED
from tests.cluster.lab import LONG, Lab
from tests.cluster.trials import disturbed, log, play
from tests.conftest import Once
from tests.tournaments.small import Whole

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(once: Once) -> Whole:
    """The tournament as one machine plays it."""
    return Whole.of(once("cluster-whole", play))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab with a scheduler and one honest worker."""
    (tmp_path / "lab").mkdir()
    with Lab(tmp_path / "lab") as found:
        found.scheduler()
        found.worker("honest", node="one")
        yield found


def break_into(lab: Lab, *attacks: str, first: int = 1) -> None:
    """Let workers join that are called as what they do."""
    for attack in attacks:
        env = {ATTACK: attack, FROM: str(first)}
        lab.worker(attack, node="two", env=env, options=["--preload", hostile_worker.__file__])
    lab.wait_for_workers(1 + len(attacks))


def test_nothing_that_a_worker_sends_is_unpickled(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    break_into(lab, "result", "type", "exception", "warning")
    out = tmp_path / "run"
    command = [sys.executable, "-m", "arena", "run", str(whole.file), "--out", str(out)]
    process = lab.run([*command, "--on", lab.head.address])
    told, wrong = process.communicate(timeout=2 * LONG)
    assert (process.returncode, wrong) == (0, lab.warning), told
    assert "the worker was here" not in told
    owned = sorted(path.relative_to(lab.folder) for path in lab.folder.rglob(OWNED))
    assert Path("home/home", OWNED) not in owned, "the coordinator ran code of a worker"
    whole.same(out)
    said = log(out)
    assert "result is no longer used, since it returned something else than was ordered" in said
    assert "exception: Dask could not have it played" in said
    assert {"type", "warning"} <= set(re.findall(r"INFO (\w+): chunk", said)), "they played as well"


ATTACKS = (
    *("empty", "twice", "other-key", "other-bots", "no-games", "no-records", "no-list"),
    *("lacking", "unfit", "killed", "stopped", "rubbish"),
)


def test_results_that_were_not_ordered(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    break_into(lab, *ATTACKS)
    ended = disturbed(lab, whole.file, tmp_path / "run", {})
    assert not ended.interrupted
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    refused = set(re.findall(r"(\S+) returned something else than was ordered: ", said))
    assert refused >= set(ATTACKS) - {"lacking"}, "who lacks bots may not get to it a third time"


def test_forged_games_are_found_by_replaying_them(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    break_into(lab, "forged")
    ended = disturbed(lab, whole.file, tmp_path / "run", {})
    assert not ended.parked
    whole.same(tmp_path / "run")
    assert re.search("forged is no longer used, since .* cannot be replayed", log(tmp_path / "run"))


class LateChance(Random):
    """Chooses no block for some time, and all after that."""

    left = 14

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def random(self) -> float:
        self.left -= 1
        return 1.0 if self.left >= 0 else 0.0


def test_forged_games_that_were_stored_are_played_again(
    lab: Lab, whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_checks, "SystemRandom", LateChance)
    break_into(lab, "forged", first=2)
    ended = disturbed(lab, whole.file, tmp_path / "run", {})
    assert not ended.parked
    said = log(tmp_path / "run")
    assert re.search(r"\d stored blocks did not replay and are played again", said), said
    whole.same(tmp_path / "run")
    assert ended.progress.blocks == len(whole.contents)


def test_large_results(
    lab: Lab, whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_decoding, "LARGEST", 1 << 20)
    break_into(lab, "huge")
    ended = disturbed(lab, whole.file, tmp_path / "run", {})
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    assert re.search("huge returned something else .* a message of .* is too large", said), said


def test_endless_talk(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    break_into(lab, "chatty")
    ended = disturbed(lab, whole.file, tmp_path / "run", {})
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    assert 1000 < said.count(" ERROR chatty: xxx") < 4000
    assert "Traceback" not in said
    assert ended.progress.fresh == ended.progress.games
