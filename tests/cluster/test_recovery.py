"""Whatever happens to workers, scheduler and coordinator, a run ends as on one machine."""

import re
import shutil
import signal
import sys
from pathlib import Path

import pytest

from arena.bots.reaper import process_tree
from arena.cli.options import SANDBOX_OFF_WARNING
from tests.cluster.dask_cluster import TIMEOUT, Lab, Worker
from tests.cluster.disturbed_runs import PATIENT, play_disturbed, read_log
from tests.cluster.process_cleanup import find_marked_processes
from tests.suite.tools import require
from tests.tournaments import small_runs
from tests.tournaments.small_runs import UndisturbedRun

pytestmark = pytest.mark.slow

RETIRE = """
import sys
from distributed import Client
with Client(sys.argv[1]) as client:
    client.retire_workers([sys.argv[2]])
"""


def bots(lab: Lab) -> list[int]:
    """The processes of bots that workers of a lab have started."""
    return [
        pid
        for pid in process_tree(find_marked_processes(lab.mark))
        if "bot.py" in small_runs.command_line(pid)
    ]


def join(lab: Lab, *names: str) -> list[Worker]:
    """Let workers join from nodes that are called as they are; wait until they have."""
    before = len(lab.head.known())
    workers = [lab.worker(name, env=PATIENT) for name in names]
    lab.wait_for_workers(before + len(names))
    return workers


def worker_processes(out: Path) -> set[str]:
    """The workers that have played chunks."""
    return set(re.findall(r"INFO (\w+): chunk", read_log(out)))


def test_workers_hang_die_leave_and_come(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path
) -> None:
    one, three = join(lab, "one", "three")
    came: list[Worker] = []

    def one_dies() -> None:
        one.kill()
        came.append(lab.worker("four", node="one", env=PATIENT))

    def four_leaves() -> None:
        came[0].terminate()
        lab.worker("five", node="two", env=PATIENT)

    ended = play_disturbed(
        lab,
        undisturbed_run.file,
        tmp_path / "run",
        (2, three.stop),
        (3, one_dies),
        (lambda: "four" in worker_processes(tmp_path / "run"), four_leaves),
        silence=15.0,
        back=three,
    )
    assert not ended.was_interrupted
    assert not ended.failed_chunks
    undisturbed_run.check_same(tmp_path / "run")
    text = read_log(tmp_path / "run")
    assert "one is gone; " in text
    assert "three sent nothing for 15 s; " in text
    assert re.search("four (has left|is gone); ", text)
    assert {"four", "five"} <= worker_processes(tmp_path / "run"), text


@pytest.mark.soak
def test_a_worker_is_cut_off_and_comes_back(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path
) -> None:
    _, two = join(lab, "one", "two")
    ended = play_disturbed(
        lab, undisturbed_run.file, tmp_path / "run", (2, two.cut), silence=15.0, back=two
    )
    assert not ended.failed_chunks
    undisturbed_run.check_same(tmp_path / "run")
    text = read_log(tmp_path / "run")
    assert "two sent nothing for 15 s; " in text


@pytest.mark.soak  # a small run may be over before the scheduler is killed
@pytest.mark.parametrize("size", ["full"], indirect=True)
def test_a_worker_is_retired_and_the_scheduler_restarts(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path
) -> None:
    one, two = join(lab, "one", "two")

    def retire() -> None:
        words = lab.head.address, str(one.address)
        assert lab.python(RETIRE, *words).wait(TIMEOUT) == 0

    def restart() -> None:
        lab.head.kill()
        lab.head.restart()
        one.kill()
        two.kill()
        lab.worker("new", node="three", env=PATIENT)

    ended = play_disturbed(lab, undisturbed_run.file, tmp_path / "run", (2, retire), (4, restart))
    assert not ended.failed_chunks
    undisturbed_run.check_same(tmp_path / "run")
    text = read_log(tmp_path / "run")
    assert "one has left; " in text
    assert text.index("the scheduler at") < text.index("is gone; finished blocks are stored")
    assert f"the scheduler at {lab.head.address} answers again" in text
    assert "is retried" not in text, "nobody has to pay for it"


def test_the_coordinator_is_killed(
    lab: Lab, undisturbed_run: UndisturbedRun, tmp_path: Path
) -> None:
    join(lab, "one")
    out = tmp_path / "run"
    words = ["arena", "run", str(undisturbed_run.file), "--out", str(out), "--on", lab.head.address]
    command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
    process = lab.run(command)
    small_runs.wait_for(lambda: small_runs.count_blocks(out) and bots(lab), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 0 < small_runs.count_blocks(out) < len(undisturbed_run.contents)
    lab.wait_until(lambda: not bots(lab), "nobody plays for nobody")
    again = lab.run(command)
    output, wrong = again.communicate(timeout=TIMEOUT)
    assert again.returncode == 0, wrong
    assert wrong.replace(f"{SANDBOX_OFF_WARNING}\n", "") == lab.warning
    assert f"{len(undisturbed_run.contents)} blocks" in output
    undisturbed_run.check_same(out)


def test_a_worker_gets_no_block_that_it_cannot_play(lab: Lab, tmp_path: Path) -> None:
    """Blocks that only others can play wait until one of them comes."""
    require("perl")
    empty = tmp_path / "empty"
    empty.mkdir()
    lab.worker("bare", node="one", env={"PATH": str(empty)})
    lab.wait_for_workers(1)
    perl = shutil.copytree(small_runs.ROOT / "bots/perl", tmp_path / "perl")
    bots = ["ladder:ducker", "ladder:lowest", "ladder:random", str(perl)]
    changes = {**small_runs.ONE_GAME_A_BLOCK, "seats": 3, "bots": bots, "deals": 2, "chunk": 1}
    file = small_runs.write_tournament(tmp_path, **changes, sandbox="none")
    comes = (2, lambda: lab.worker("able", node="two"))
    ended = play_disturbed(lab, file, tmp_path / "open", comes, hope=TIMEOUT)
    assert not ended.failed_chunks
    text = read_log(tmp_path / "open")
    assert "bare does not play perl, which needs perl; run 'apt install perl'" in text
    assert re.findall("INFO (bare): chunk", text) == ["bare"] * 2, "those without perl"
    assert re.findall("INFO (able): chunk", text) == ["able"] * 6
    small_runs.check_whole(file, tmp_path / "open")
    file = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME, sandbox="standard")
    assert not play_disturbed(lab, file, tmp_path / "sandboxed").failed_chunks
    text = read_log(tmp_path / "sandboxed")
    assert "bare is not used: it has no sandbox: the sandbox needs bubblewrap" in text
    assert worker_processes(tmp_path / "sandboxed") == {"able"}
