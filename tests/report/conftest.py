"""A real run for the tests of its site: every game, notes, faults, real bot processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from arena.ratings import trueskill
from arena.report.build import build_report
from arena.store.run import Run
from tests.cli.runs import CELLS, create_run, make_header
from tests.conftest import MakeOnce
from tests.report.ladders import create_ladder
from tests.suite.tools import require_chromium

CHROMIUM_OPTIONS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
)
"""It is to look at our pages only; as root it has no sandbox of its own."""

RUN = "runs/Nachtlauf"

NOTE_WRITING_BOT = '''
"""Writes notes, some of them nasty, and answers nonsense now and then."""

import json
import sys

for count, line in enumerate(sys.stdin):
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "games": 64}), flush=True)
    elif message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        if count % 5 == 0:
            answer["note"] = "<img src=x onerror=document.title='hacked'> \\u202e note"
        if count % 199 == 0:
            print("<script>document.title='hacked'</script>", file=sys.stderr, flush=True)
            answer["choice"] = "<b>Z9</b>"
        print(json.dumps(answer), flush=True)
'''

TOURNAMENT = """
name: Nachtlauf
seed: the same deals every time
variants: [sticheln+aggravated+hazy, stick-em+delayed, hat-trick, was-sticht]
seats: all
bots: [ladder:last-legal, ladder:first-legal, ladder:random, noter.py]
tables: {sample: 1}
deals: 1
sandbox: none
"""


def play_run(folder: Path) -> None:
    """Play the tournament with real processes."""
    (folder / "noter.py").write_text(NOTE_WRITING_BOT)
    (folder / "nachtlauf.yaml").write_text(TOURNAMENT)
    done = subprocess.run(
        [sys.executable, "-m", "arena", "run", "nachtlauf.yaml", "--quiet"],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with Run.open(folder / RUN) as run:
        build_report(run, folder / "site")


@pytest.fixture(scope="session")
def run_folder(make_once: MakeOnce) -> Path:
    """A run with real processes: all four games, notes, and faults."""
    return make_once("nachtlauf", play_run) / RUN


@pytest.fixture(scope="session")
def site(make_once: MakeOnce) -> Path:
    """The site of that run, in a folder."""
    return make_once("nachtlauf", play_run) / "site"


@contextmanager
def compiled_ratings() -> Iterator[None]:
    """Rate by compiled code, however few blocks there are: it finds the same much faster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 1)
        yield


@pytest.fixture(autouse=True, scope="module")
def _compiled_ratings() -> Iterator[None]:
    with compiled_ratings():
        yield


def make_ladder(folder: Path) -> None:
    """Write the site of a ladder."""
    about = create_ladder(folder / "ladder")
    with compiled_ratings(), Run.open(folder / "ladder") as run:
        build_report(run, folder / "site", ladder=about)


@pytest.fixture(scope="session")
def ladder_site(make_once: MakeOnce) -> Path:
    """The site of a ladder with three nights, in a folder."""
    return make_once("ladder-site", make_ladder) / "site"


def make_crowd(folder: Path) -> None:
    """Write the site of a run with more bots than a page has."""
    names = [f"bot {number}" for number in range(1, 120)]
    about = make_header([*names, "<b>bold</b>", "__proto__", "\u202eback"])
    crowd = create_run(folder / "crowd", about=about, cells=CELLS[:1], blocks=30)
    with compiled_ratings(), Run.open(crowd) as run:
        build_report(run, folder / "site")


@pytest.fixture(scope="session")
def crowd_site(make_once: MakeOnce) -> Path:
    """The site of a run with very many bots, in a folder."""
    return make_once("crowd-site", make_crowd) / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser; while it runs no other event loop can run."""
    path = require_chromium()
    expect.set_options(timeout=60_000)  # the machine may be busy
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield started
        started.close()
