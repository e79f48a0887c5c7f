"""The built wheel, installed into a fresh environment far from here, is the whole product."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.bot import builtin_bots
from tests.conftest import MakeOnce
from tests.suite.tools import require_network

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(make_once: MakeOnce) -> Path:
    """A folder with an environment in which nothing but the wheel is installed."""
    try:
        return make_once("elsewhere", install)
    except subprocess.CalledProcessError:
        require_network("pip")
        raise


def install(place: Path) -> None:
    """Build the wheel and install it into a new environment.

    It has no pip of its own, and Python compiles only what the tests use: both save seconds.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", place, ROOT], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "env"], check=True)
    (wheel,) = place.glob("*.whl")
    fresh = str(place / "env" / "bin" / "python")
    subprocess.run([*pip, "--python", fresh, "install", "--no-compile", wheel], check=True)


def arena(place: Path, *words: str) -> str:
    """What the installed command prints."""
    environment = {
        "PATH": f"{place / 'env' / 'bin'}:{os.environ['PATH']}",
        "HOME": str(place / "home"),
        "XDG_CACHE_HOME": str(place / "cache"),
    }
    done = subprocess.run(
        ["arena", *words], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_reference_bots_play(place: Path) -> None:
    told = json.loads(
        arena(place, "play", "hat-trick", "random", "careful", "counter", "sampler", "--json")
    )
    assert "faults" not in told


def test_the_reference_bots_are_included(place: Path) -> None:
    installed = next((place / "env" / "lib").glob("python*/site-packages/arena/reference"))
    assert {folder.name for folder in installed.iterdir() if folder.is_dir()} == set(builtin_bots())


def files(folder: Path) -> set[str]:
    """The paths of all files in a folder, but for what Python keeps there."""
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }


@pytest.mark.parametrize("part", ["report/templates", "report/static", "report/plots", "web"])
def test_the_web_pages_are_included(place: Path, part: str) -> None:
    installed = next((place / "env" / "lib").glob(f"python*/site-packages/arena/{part}"))
    assert files(installed) == files(ROOT / "arena" / part)


def test_a_kit_plays(place: Path) -> None:
    arena(place, "new", "my-bot")
    assert "my-bot" in arena(place, "play", "was-sticht", "my-bot", "my-bot", "careful")
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=place / "my-bot", check=False)
    assert done.returncode == 0


def test_the_specification_is_included(place: Path) -> None:
    arena(place, "protocol", "copy", "specification")
    schema = "specification/schema.json"
    assert "up to date" in arena(place, "protocol", "export", "--check", "--to", schema)
    transcripts = place / "specification" / "transcripts"
    assert len([*transcripts.glob("*/*.jsonl")]) == 9


@pytest.mark.soak
def test_a_tournament(place: Path) -> None:
    file = place / "small.yaml"
    file.write_text(
        "variants: stick-em\nseats: 3\nbots: [careful, first-legal, random]\ndeals: 1\n"
    )
    assert "careful" in arena(place, "run", str(file), "--quiet")
    assert "site/index.html: " in arena(place, "report", "small")
    site = place / "site"
    assert "careful" in (site / "index.html").read_text()
    assert {f"static/{path}" for path in files(ROOT / "arena/report/static")} <= files(site)
    environment = {"PATH": os.environ["PATH"], "HOME": str(place / "home")}
    done = subprocess.run(
        [place / "env" / "bin" / "arena", "watch", "small", "--port", "0"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'stichkampf[web]'" in done.stderr
