"""Nothing that a bot has seen survives its process: an attack that tries every known way.

The same bot recalls deals where there is no sandbox, or the tests would show nothing.
"""

import secrets
from pathlib import Path
from shutil import copytree

import pytest
import yaml

from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import chosen, no_image
from arena.store.block import unpack
from arena.store.run import Run
from tests.ladder.ladders import KEYS
from tests.tournaments import small

BOT = Path(__file__).parent / "remembering"
NOTES = 4 << 20
NOTHING = "recalled nothing"


def sandboxed(level: str, *, memory: bool = True) -> str:
    """This level, or skip the test if this machine lacks it, or memory for the system image."""
    try:
        machine = chosen(Level(level), Limits()).machine
    except NoWalls as why:
        pytest.skip(str(why))
    if memory and machine and (missing := no_image(machine)):
        pytest.skip(missing)
    return level


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


def recalled(tmp_path: Path, sandbox: object, workers: int = 2) -> list[str]:
    """What the bot found in a tournament, game by game."""
    bots = [str(attacker(tmp_path)), "ladder:first-legal", "ladder:lowest"]
    file = small.write(tmp_path, bots=bots, seats=3, deals=4, chunk=2, sandbox=sandbox)
    out = tmp_path / "run"
    small.run_well("run", file, "--out", out, "--workers", str(workers))
    notes = notes_in(out)
    assert len(notes) == 4 * 3
    return [note for note in notes if note != NOTHING]


def notes_in(folder: Path) -> list[str]:
    """What the bot said in all games of a run."""
    notes: list[str] = []
    with Run.open(folder) as run:
        for block in run.blocks():
            for game in unpack(block.kept):
                assert game.record.faults == ()
                notes += game.record.notes.values()
    return notes


def test_without_a_sandbox_it_remembers(tmp_path: Path) -> None:
    assert recalled(tmp_path, "none", workers=1)


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_in_a_tournament_it_remembers_nothing(tmp_path: Path, level: str) -> None:
    assert recalled(tmp_path, sandboxed(level)) == []


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_with_the_system_on_the_disk_it_has_only_the_clock(tmp_path: Path, level: str) -> None:
    """What was read or looked for before takes less time, as the page on the sandbox says."""
    found = recalled(tmp_path, {"level": sandboxed(level, memory=False), "system": "host"})
    ways = {way for note in found for way in note.removeprefix("recalled ").split(", ")}
    assert all(way.endswith(" by time") and "own" not in way for way in ways), ways


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_on_a_ladder_it_remembers_nothing(tmp_path: Path, level: str) -> None:
    folder = tmp_path / "ladder"
    small.run_well("ladder", "init", folder, "--with-reference")
    keys = {**KEYS, "variants": ["stick-em"], "sandbox": sandboxed(level)}
    (folder / "ladder.yaml").write_text(yaml.safe_dump(keys))
    small.run_well("submit", attacker(tmp_path), "--to", folder)
    small.run_well("ladder", "night", folder, "--games", "60", "--workers", "2")
    notes = notes_in(folder)
    assert len(notes) >= 6, "the turns of one block"
    assert set(notes) == {NOTHING}
