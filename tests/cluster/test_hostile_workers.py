"""Workers that somebody has broken into: nothing of theirs counts, and nothing of theirs runs."""

import re
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.cli.options import SANDBOX_OFF_WARNING
from arena.cluster import dask_decoding, result_checks, workers
from tests.cluster import hostile_worker
from tests.cluster.dask_cluster import TIMEOUT, Lab, Worker
from tests.cluster.disturbed_runs import play_disturbed, read_log
from tests.cluster.hostile_worker import ATTACK, FROM, OWNED, TALK
from tests.tournaments.small_runs import UndisturbedRun

pytestmark = pytest.mark.slow


def break_into(lab: Lab, *attacks: str, **env: str) -> None:
    """Let workers join that are called as what they do."""
    for attack in attacks:
        preload = ["--preload", hostile_worker.__file__]
        lab.worker(attack, node="two", env={ATTACK: attack, **env}, options=preload)
    lab.wait_for_workers(len(attacks))


def honest(lab: Lab) -> Worker:
    """Let an honest worker join, by which a run comes to its end."""
    return lab.worker("honest", node="one")


def test_nothing_that_a_worker_sends_is_unpickled(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path
) -> None:
    break_into(lab, "result", "type", "exception", "warning")
    out = tmp_path / "run"
    command = [sys.executable, "-m", "arena", "run", str(undisturbed_run.file), "--out", str(out)]
    process = lab.run([*command, "--on", lab.head.address])
    output, wrong = process.communicate(timeout=2 * TIMEOUT)
    assert process.returncode == 0, output + wrong
    assert wrong.replace(f"{SANDBOX_OFF_WARNING}\n", "") == lab.warning
    assert "the worker was here" not in output
    owned = sorted(path.relative_to(lab.folder) for path in lab.folder.rglob(OWNED))
    assert Path("home/home", OWNED) not in owned, "the coordinator ran code of a worker"
    undisturbed_run.check_same(out)
    text = read_log(out)
    assert "result is no longer used, since it returned something else than was ordered" in text
    assert "exception: Dask could not have it played" in text
    assert {"type", "warning"} <= set(re.findall(r"INFO (\w+): chunk", text)), "they played as well"


ATTACKS = {
    **dict.fromkeys(("empty", "twice", "other-key", "other-bots", "no-games", "no-records")),
    **dict.fromkeys(("no-list", "lacking", "unfit", "killed", "stopped", "rubbish")),
    "forged": "cannot be replayed",
    "huge": "a message of .* is too large",
}
"""What hostile workers return, and why it is refused, where that is to be said."""
FEW = ("empty", "lacking", "unfit", "rubbish", "forged", "huge")


def test_results_that_were_not_ordered(
    lab: Lab,
    size: str,
    undisturbed_run: UndisturbedRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attacks = FEW if size == "small" else tuple(ATTACKS)
    monkeypatch.setattr(dask_decoding, "MAX_MESSAGE_BYTES", 1 << 20)
    break_into(lab, *attacks)
    out = tmp_path / "run"

    def are_all_excluded() -> bool:
        return {*attacks} <= set(
            re.findall(r"ERROR \w+: (\S+) is no longer used, since", read_log(out))
        )

    ended = play_disturbed(lab, undisturbed_run.file, out, (are_all_excluded, lambda: honest(lab)))
    assert not ended.was_interrupted
    assert not ended.failed_chunks
    undisturbed_run.check_same(out)
    text = read_log(out)
    refused = set(re.findall(r"(\S+) returned something else than was ordered: ", text))
    assert refused - {"it"} == {*attacks}
    for attack in attacks:
        if why := ATTACKS[attack]:
            assert re.search(f"{attack} is no longer used, since it returned .*{why}", text), text


class LateChance(Random):
    """Chooses no block for some time, and all after that."""

    left = 3

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def random(self) -> float:
        self.left -= 1
        return 1.0 if self.left >= 0 else 0.0


@pytest.mark.soak
def test_forged_games_that_were_stored_are_played_again(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first block is honest, the next two are forged and stored, the fourth is replayed."""
    monkeypatch.setattr(result_checks, "SystemRandom", LateChance)
    break_into(lab, "forged", **{FROM: "2"})
    out = tmp_path / "run"
    excluded = "forged is no longer used, since"
    ended = play_disturbed(
        lab, undisturbed_run.file, out, (lambda: excluded in read_log(out), lambda: honest(lab))
    )
    assert not ended.failed_chunks
    text = read_log(out)
    assert re.search(r"\d stored blocks differ from their replay and are deleted", text), text
    undisturbed_run.check_same(out)
    assert ended.progress.blocks == len(undisturbed_run.contents)


@pytest.mark.soak
def test_endless_talk(
    lab: Lab,
    size: str,
    undisturbed_run: UndisturbedRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lines that a worker logs are dropped once there are too many."""
    if size == "small":
        monkeypatch.setattr(workers, "LOG_BURST", 200.0)
    break_into(lab, "chatty", **{TALK: "3" if size == "small" else "50"})
    begun = time.monotonic()
    ended = play_disturbed(lab, undisturbed_run.file, tmp_path / "run")
    most = workers.LOG_BURST + (time.monotonic() - begun) * workers.LOG_RATE
    assert not ended.failed_chunks
    undisturbed_run.check_same(tmp_path / "run")
    text = read_log(tmp_path / "run")
    assert workers.LOG_BURST / 2 < text.count(" ERROR chatty: xxx") <= most
    assert "Traceback" not in text
    assert ended.progress.new_games == ended.progress.games
