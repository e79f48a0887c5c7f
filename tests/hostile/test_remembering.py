"""Nothing that a bot has seen survives its process: an attack that tries every known way.

The same bot recalls deals where there is no sandbox, or the tests would show nothing.
"""

import secrets
from pathlib import Path
from shutil import copytree

import pytest

from arena.store.block import unpack
from arena.store.run import Run
from tests.tournaments import small

BOT = Path(__file__).parent / "remembering"
NOTES = 4 << 20


def attacker(folder: Path) -> Path:
    """The bot with files of its own, whose inodes no other test knows."""
    bot = folder / "remembers-deals"
    copytree(BOT, bot)
    (bot / "tag").write_text(secrets.token_hex(8))
    (bot / "notes.bin").write_bytes(secrets.token_bytes(NOTES))
    (bot / "files").mkdir()
    for number in range(80):
        (bot / "files" / f"{number:02}").write_text("x")
    bot.chmod(0o755)
    return bot


def recalled(tmp_path: Path, level: str, system: str, workers: int) -> list[str]:
    """What the bot found in a tournament, game by game."""
    bots = [str(attacker(tmp_path)), "ladder:first-legal", "ladder:lowest"]
    sandbox = "none" if level == "none" else {"level": level, "system": system}
    file = small.write(tmp_path, bots=bots, seats=3, deals=4, chunk=2, sandbox=sandbox)
    out = tmp_path / "run"
    played = small.arena("run", file, "--out", out, "--workers", str(workers))
    assert played.returncode == 0, played.stderr
    notes: list[str] = []
    with Run.open(out) as run:
        for block in run.blocks():
            for game in unpack(block.kept):
                assert game.record.faults == ()
                notes += game.record.notes.values()
    assert len(notes) == 4 * 3
    return [note for note in notes if note != "recalled nothing"]


def test_without_a_sandbox_it_remembers(tmp_path: Path) -> None:
    assert recalled(tmp_path, "none", "host", 1)


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_with_the_system_in_memory_it_remembers_nothing(tmp_path: Path, level: str) -> None:
    assert recalled(tmp_path, level, "memory", 2) == []
