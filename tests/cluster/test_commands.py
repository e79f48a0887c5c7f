"""`arena run --on` and `arena ladder night --on`, as a person runs them at home in a lab."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.cluster.compatibility import installed_version
from tests.cli.invoke import invoke_arena
from tests.cluster.certificates import certificates
from tests.cluster.dask_cluster import TIMEOUT, Lab
from tests.cluster.disturbed_runs import read_log
from tests.tournaments import small_runs

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab with nothing in it."""
    (tmp_path / "lab").mkdir()
    with Lab(tmp_path / "lab") as found:
        yield found


def start_command(lab: Lab, *words: str | Path, **options: Any) -> subprocess.Popen[str]:
    """The command, begun at home."""
    return lab.run([sys.executable, "-m", "arena", *map(str, words)], **options)


def arena(lab: Lab, *words: str | Path, **options: Any) -> small_runs.CompletedCommand:
    """The command at home, to its end."""
    process = start_command(lab, *words, **options)
    output, wrong = process.communicate(timeout=2 * TIMEOUT)
    return subprocess.CompletedProcess(process.args, process.returncode, output, wrong)


def here(lab: Lab, *words: str | Path) -> small_runs.CompletedCommand:
    """The command at home, within this process, which is faster."""
    with lab.inside("home"):
        done = invoke_arena(*words)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@pytest.mark.needs("sandbox")
def test_certificates(empty_lab: Lab, tmp_path: Path) -> None:
    lab = empty_lab
    tls = certificates(tmp_path / "tls")
    address = lab.scheduler(tls=tls).address
    lab.worker("one", threads=2)
    lab.wait_for_workers(1)
    files = {"ca": "tls/ca.pem", "cert": "tls/cert.pem", "key": "tls/key.pem"}
    backend = {"dask": {"scheduler": address, **files}}
    file = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME, backend=backend)
    result = arena(lab, "run", file, "--out", tmp_path / "run")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"on 2 cores of 1 worker at {address}, sandbox standard" in result.stdout
    small_runs.check_whole(file, tmp_path / "run")
    plain = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME)
    small_runs.check_refused(
        here(lab, "run", plain, "--on", address), f"{address} asks for certificates"
    )
    settings = {
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(tls.ca),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(tls.cert),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": str(tls.key),
    }
    result = arena(lab, "run", plain, "--on", address, "--out", tmp_path / "dask", env=settings)
    assert (result.returncode, result.stderr) == (0, ""), "Dask's own settings do as well"


@pytest.mark.needs("sandbox")
def test_interrupted_and_gone_on_with(lab: Lab, tmp_path: Path) -> None:
    file = small_runs.write_tournament(
        tmp_path, **small_runs.ONE_GAME_A_BLOCK, deals=20, seats=3, chunk=1
    )
    out = tmp_path / "run"
    words = ["run", str(file), "--out", str(out), "--on", lab.head.address]
    process = start_command(lab, *words)
    small_runs.wait_for(lambda: "can play" in read_log(out), process)
    assert f"no worker at {lab.head.address} can play" in read_log(out), "it waits for one"
    lab.worker("one")
    small_runs.wait_for(lambda: small_runs.count_blocks(out) > 2, process)
    process.send_signal(signal.SIGINT)
    output, wrong = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, wrong) == (128 + signal.SIGINT, lab.warning)
    assert f"To go on: arena {' '.join(words)}\n" in output
    kept = small_runs.count_blocks(out)
    assert 2 < kept < 80
    assert "played again" not in output


@pytest.mark.needs("sandbox")
def test_other_programs_are_refused(lab: Lab, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(ROOT / "arena", changed / "arena", symlinks=False)
    with (changed / "arena/games/sticheln.py").open("a") as rules:
        rules.write("\n# somebody has changed a rule\n")
    newer = tmp_path / "newer"
    (newer / "stichkampf-9.9.dist-info").mkdir(parents=True)
    (newer / "stichkampf-9.9.dist-info/METADATA").write_text("Name: stichkampf\nVersion: 9.9\n")
    lab.worker("one", env={"PYTHONPATH": str(changed)})
    lab.worker("two", env={"PYTHONPATH": str(newer)})
    lab.wait_for_workers(2)
    file, out = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME), tmp_path / "run"
    result = here(lab, "run", file, "--out", out, "--on", lab.head.address)
    assert result.returncode == 2
    *warnings, error = result.stderr.splitlines()
    assert error.startswith(f"Error: none of the 2 workers at {lab.head.address} can be used: ")
    assert (
        f"two is not used: it has stichkampf 9.9, and this is {installed_version()}; "
        in result.stdout
    )
    assert re.search(r"one is not used: it has protocol 1, program \w+, and this", result.stdout)
    assert warnings == lab.warning.splitlines()
    lab.worker("three")
    lab.wait_for_workers(3)
    result = here(lab, "run", file, "--out", out, "--on", lab.head.address)
    assert (result.returncode, result.stderr) == (0, lab.warning)
    if lab.namespaces:
        assert "asks for no certificates: everyone who reaches this port can run" in lab.warning
    assert "1 core of 1 worker" in result.stdout
    assert set(re.findall(r"INFO (\w+): chunk", read_log(out))) == {"three"}


@pytest.mark.needs("sandbox")
def test_bots_that_do_not_start_are_reported_before_the_first_game(
    lab: Lab, tmp_path: Path
) -> None:
    lab.worker("one")
    lab.wait_for_workers(1)
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    bots = [*small_runs.KEYS["bots"][:2], "broken.py"]
    file = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME | {"bots": bots})
    result = here(lab, "run", file, "--out", tmp_path / "run", "--on", lab.head.address)
    assert result.returncode == 2
    assert "broken does not start" in result.stderr
    assert small_runs.count_blocks(tmp_path / "run") == 0


def test_no_scheduler_or_workers(lab: Lab, tmp_path: Path) -> None:
    file = small_runs.write_tournament(tmp_path, **small_runs.ONE_GAME)
    words = "run", file, "--out", tmp_path / "run", "--on"
    nobody = f"{lab.network.host('two')}:8786"
    small_runs.check_refused(here(lab, *words, nobody), "no Dask scheduler answers at", "--on")
    small_runs.check_refused(here(lab, *words, "tcp://a b"), "is no address of a Dask scheduler")
    without = tmp_path / "without"
    (without / "distributed").mkdir(parents=True)
    (without / "distributed/__init__.py").write_text("raise ImportError('it is not installed')\n")
    result = arena(lab, *words, nobody, env={"PYTHONPATH": str(without)})
    small_runs.check_refused(result, "a cluster needs Dask", "pip install 'stichkampf[dask]'")
    assert not (tmp_path / "run").exists(), "nothing is begun"


@pytest.mark.needs("sandbox")
@pytest.mark.soak
def test_a_night_is_the_same(lab: Lab, tmp_path: Path) -> None:
    workers = "one", "two", "three"
    alone, there = tmp_path / "alone", tmp_path / "there"
    made = here(
        lab, "ladder", "init", alone, "--variants", "stick-em", "--seats", "3", "--with-reference"
    )
    assert made.returncode == 0, made.stderr
    shutil.copytree(alone, there)
    for name in workers:
        lab.worker(name)
    lab.wait_for_workers(len(workers))
    keys = yaml.safe_load((there / "ladder.yaml").read_text())
    keys["backend"] = {"dask": lab.head.address}
    (there / "ladder.yaml").write_text(yaml.safe_dump(keys))
    summaries = []
    for play, folder in ((here, alone), (arena, there)):
        result = play(lab, "ladder", "night", folder, "--games", "60", "--json")
        assert result.returncode == 0, result.stderr
        summaries.append({**json.loads(result.stdout), "seconds": 0})
        assert summaries[-1].pop("results"), "times are a part of what is hashed"
    assert f"{len(workers)} cores of {len(workers)} workers" in result.stderr
    assert lab.warning in result.stderr
    assert summaries[0] == summaries[1]
    assert small_runs.run_contents(alone) == small_runs.run_contents(there)
    assert small_runs.printed_standings(alone) == small_runs.printed_standings(there)
