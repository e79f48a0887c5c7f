"""A ladder on which a night was played, and its server, for all tests that only read."""

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.ladder import create
from arena.ladder.folder import open_ladder
from tests.conftest import Once
from tests.web.ladders import SETTINGS, empty, serving
from tests.web.server_process import Served

BOTS = ("careful", "ducker", "first-legal", "lowest", "random")
"""Reference bots that answer at once."""

SEED = "b2"
"""A seed by which all of them play in both cells, so that both count."""


def play(folder: Path) -> None:
    """A small ladder of two cells with quick bots, and one night with real processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", SEED.__mul__)
        ladder = empty(folder / "ladder", SETTINGS.replace("[sticheln]", "[sticheln, stick-em]"))
        patch.setattr(create, "REFERENCE_BOTS", BOTS)
        create.add_reference_bots(open_ladder(ladder))
    words = ["ladder", "night", str(ladder), "--games", "36"]
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def ladder(once: Once) -> Path:
    """A ladder on which was played; not to be changed."""
    return once("served ladder", play) / "ladder"


@pytest.fixture(scope="session")
def there(ladder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """That ladder, served."""
    folder = tmp_path_factory.mktemp("served") / "ladder"
    subprocess.run(["cp", "-r", str(ladder), str(folder)], check=True)
    with serving(folder) as found:
        yield found
