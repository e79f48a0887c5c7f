"""Whatever happens to workers, scheduler and coordinator, a run ends as on one machine."""

import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.guard import below
from tests.cluster.keeper import marked
from tests.cluster.lab import LONG, Lab, Worker
from tests.cluster.trials import disturbed, log, play
from tests.conftest import Once
from tests.tournaments import small
from tests.tournaments.small import Whole

pytestmark = pytest.mark.slow

RETIRE = """
import sys
from distributed import Client
with Client(sys.argv[1]) as client:
    client.retire_workers([sys.argv[2]])
"""


@pytest.fixture(scope="module")
def whole(once: Once) -> Whole:
    """The tournament as one machine plays it."""
    return Whole.of(once("cluster-whole", play))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab with a scheduler and three workers, each in a network of its own."""
    (tmp_path / "lab").mkdir()
    with Lab(tmp_path / "lab") as found:
        found.scheduler()
        for name in ("one", "two", "three"):
            found.worker(name)
        found.wait_for_workers(3)
        yield found


def bots(lab: Lab) -> list[int]:
    """The processes of bots that workers of a lab have started."""
    return [pid for pid in below(marked(lab.mark)) if "bot.py" in small.command_line(pid)]


def worker(lab: Lab, name: str) -> Worker:
    """The worker of this name."""
    return next(one for one in lab.programs if isinstance(one, Worker) and one.name == name)


def test_workers_die_leave_hang_and_come(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    def one_dies() -> None:
        worker(lab, "one").kill()
        lab.worker("four", node="one")

    def two_leaves() -> None:
        worker(lab, "two").terminate()
        lab.worker("five", node="two")

    three = worker(lab, "three")
    disturb = {2: three.stop, 4: one_dies, 9: two_leaves}
    ended = disturbed(lab, whole.file, tmp_path / "run", disturb, silence=15.0, back=three)
    assert not ended.interrupted
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    assert "one is gone; " in said
    assert "three said nothing for 15 s; " in said
    assert re.search("two (has left|is gone); ", said)
    assert {"four", "five"} <= set(re.findall(r"INFO (\w+): chunk", said)), said


def test_a_worker_is_cut_off_and_comes_back(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    disturb = {3: worker(lab, "two").cut}
    ended = disturbed(
        lab, whole.file, tmp_path / "run", disturb, silence=15.0, back=worker(lab, "two")
    )
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    assert "two said nothing for 15 s; " in said


def test_a_worker_is_retired_and_the_scheduler_restarts(
    lab: Lab, whole: Whole, tmp_path: Path
) -> None:
    def retire() -> None:
        words = lab.head.address, str(worker(lab, "one").address)
        assert lab.python(RETIRE, *words).wait(LONG) == 0

    def restart() -> None:
        lab.head.kill()
        lab.head.restart()
        for number, node in enumerate(("one", "two", "three")):
            worker(lab, node).kill()
            lab.worker(f"new{number}", node=node)

    ended = disturbed(lab, whole.file, tmp_path / "run", {2: retire, 8: restart})
    assert not ended.parked
    whole.same(tmp_path / "run")
    said = log(tmp_path / "run")
    assert "one has left; " in said
    assert said.index("the scheduler at") < said.index("is gone; what is kept is safe")
    assert f"the scheduler at {lab.head.address} answers again" in said
    assert "is played again" not in said, "nobody has to pay for it"


def test_the_coordinator_is_killed(lab: Lab, whole: Whole, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["arena", "run", str(whole.file), "--out", str(out), "--on", lab.head.address]
    command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
    process = lab.run(command)
    small.wait_for(lambda: small.kept(out) > 3, process)
    lab.wait_until(lambda: bots(lab), "bots play")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert small.kept(out) < len(whole.contents)
    lab.wait_until(lambda: not bots(lab), "nobody plays for nobody")
    again = lab.run(command)
    told, wrong = again.communicate(timeout=LONG)
    assert (again.returncode, wrong) == (0, lab.warning)
    assert f"{len(whole.contents)} blocks" in told
    whole.same(out)


def test_a_worker_gets_no_block_that_it_cannot_play(lab: Lab, tmp_path: Path) -> None:
    for name in ("one", "two"):
        worker(lab, name).kill()
    empty = tmp_path / "empty"
    empty.mkdir()
    lab.worker("bare", node="one", env={"PATH": str(empty)})
    lab.wait_for_workers(2)
    perl = shutil.copytree(small.ROOT / "bots/perl", tmp_path / "perl")
    bots = ["ladder:ducker", "ladder:lowest", "ladder:random", str(perl)]
    file = small.write(tmp_path, seats=3, bots=bots, deals=3, chunk=1, sandbox="none")
    ended = disturbed(lab, file, tmp_path / "open", {})
    assert not ended.parked
    said = log(tmp_path / "open")
    assert "bare does not play perl, which needs perl; run 'apt install perl'" in said
    assert re.findall("INFO (bare): chunk", said) == ["bare"] * 3, "those without perl"
    small.check_whole(file, tmp_path / "open")
    file = small.write(tmp_path, **small.TINY, sandbox="standard")
    assert not disturbed(lab, file, tmp_path / "walled", {}).parked
    said = log(tmp_path / "walled")
    assert "bare is not used: it has no sandbox: the sandbox needs bubblewrap" in said
    assert "INFO bare: chunk" not in said
