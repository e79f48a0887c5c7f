"""A ladder on which a night was played, and its server, for all tests that only read."""

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.ladder import create
from arena.ladder.folder import open_ladder
from tests.conftest import MakeOnce
from tests.web.ladders import LADDER_YAML, create_ladder, serve_ladder
from tests.web.server_process import ServerProcess

BOTS = ("careful", "ducker", "first-legal", "lowest", "random")
"""Reference bots that answer at once."""

SEED = "b2"
"""A seed by which all of them play in both cells, so that both count."""


def play(folder: Path) -> None:
    """Create a small ladder of two cells with quick bots, and play one night."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", SEED.__mul__)
        ladder = create_ladder(
            folder / "ladder", LADDER_YAML.replace("[sticheln]", "[sticheln, stick-em]")
        )
        patch.setattr(create, "REFERENCE_BOTS", BOTS)
        create.add_reference_bots(open_ladder(ladder))
    words = ["ladder", "night", str(ladder), "--games", "36"]
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def ladder(make_once: MakeOnce) -> Path:
    """A ladder with one played night; tests must not change it."""
    return make_once("served ladder", play) / "ladder"


@pytest.fixture(scope="session")
def ladder_server(
    ladder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """A server of that ladder."""
    folder = tmp_path_factory.mktemp("served") / "ladder"
    subprocess.run(["cp", "-r", str(ladder), str(folder)], check=True)
    with serve_ladder(folder) as found:
        yield found
