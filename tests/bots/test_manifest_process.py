"""A stranger's manifest is read in a process that can use neither much memory nor much time."""

from pathlib import Path

import pytest

from arena.bots import manifest_process
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.errors import BadBot
from tests.bots.test_manifest import BOMBS, WHOLE, write_manifest

pytestmark = pytest.mark.slow

GREEDY = """
import arena.bots.manifest_process as limited
limited.CPU_LIMIT = 1
def load(file):
    {deed}
limited.bots_manifest.load_manifest = load
limited.main()
"""


def test_the_same_as_without_limits(tmp_path: Path) -> None:
    file = write_manifest(tmp_path, WHOLE)
    assert manifest_process.load_untrusted_manifest(file) == load_manifest(file)


@pytest.mark.parametrize("bomb", ["nine levels of aliases", "an octal number", "a long value"])
def test_the_same_error(tmp_path: Path, bomb: str) -> None:
    file = write_manifest(tmp_path, BOMBS[bomb][0])
    with pytest.raises(BadBot) as plain:
        load_manifest(file)
    with pytest.raises(BadBot) as error:
        manifest_process.load_untrusted_manifest(file)
    assert str(error.value) == str(plain.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=f"{MANIFEST_FILE}: No such file or directory"):
        manifest_process.load_untrusted_manifest(tmp_path / MANIFEST_FILE)


@pytest.mark.parametrize("deed", ["bytearray(limited.MEMORY)", "while True: pass"])
def test_the_kernel_enforces_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    """Whatever the parser might do."""
    monkeypatch.setattr(manifest_process, "CHILD_CODE", GREEDY.format(deed=deed))
    with pytest.raises(BadBot, match="it takes too much memory or time to read; shorten it"):
        manifest_process.load_untrusted_manifest(write_manifest(tmp_path, WHOLE))
