"""Nothing that a bot has seen survives its process: an attack that tries every known way.

The same bot recalls deals where there is no sandbox, or the tests would show nothing.
"""

import os
import secrets
from pathlib import Path
from shutil import copytree

import pytest
import yaml

from arena.bots.digest import bot_digest
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import image_problem, select_sandbox
from arena.ladder.folder import UPLOADS_FOLDER, Ladder, install_version, make_read_only
from arena.ladder.models import Version
from arena.ladder.registry import Registry
from arena.store.block import unpack_games
from arena.store.header import utc_now, write_header
from arena.store.run import Run
from tests.ladder import factories
from tests.ladder.reference_ladder import KEYS
from tests.suite.stages import soak_only
from tests.suite.tools import skip_without_sandbox
from tests.tournaments import small_runs

pytestmark = pytest.mark.slow

BOT = Path(__file__).parent / "remembering"
NOTES = 4 << 20
NOTHING = "recalled nothing"
HIGHEST, OTHER = ("standard", "strict") if os.geteuid() else ("strict", "standard")
"""The highest level that this user has, and the other one."""

SIZES = [(HIGHEST, 2), soak_only((HIGHEST, 4)), soak_only((OTHER, 4))]
"""A level, and how many deals are played: two of them are one chunk, of three processes."""


def sandboxed(level: str, *, memory: bool = True) -> str:
    """This level, or skip the test if this machine lacks it, or memory for the system image."""
    try:
        machine = select_sandbox(SandboxLevel(level), ResourceLimits()).support
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    if memory and machine and (missing := image_problem(machine)):
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


def recalled(tmp_path: Path, sandbox: object, deals: int, workers: int) -> list[str]:
    """What the bot found in a tournament, game by game."""
    bots = [str(attacker(tmp_path)), "ladder:first-legal", "ladder:lowest"]
    file = small_runs.write_tournament(
        tmp_path, bots=bots, seats=3, deals=deals, chunk=2, sandbox=sandbox
    )
    out = tmp_path / "run"
    small_runs.check_command("run", file, "--out", out, "--workers", str(workers))
    notes = notes_in(out)
    assert len(notes) == deals * 3
    return [note for note in notes if note != NOTHING]


def notes_in(folder: Path) -> list[str]:
    """What the bot said in all games of a run."""
    notes: list[str] = []
    with Run.open(folder) as run:
        for block in run.blocks():
            for game in unpack_games(block.packed_games):
                assert game.record.faults == ()
                notes += game.record.notes.values()
    return notes


def join(ladder: Ladder, bot: Path) -> None:
    """Put the bot on a ladder without asking whether it can play."""
    begun = ladder.folder / UPLOADS_FOLDER / "begun"
    bot.rename(begun)
    make_read_only(begun)
    hashed = bot_digest(begun)
    install_version(ladder, begun, hashed)
    version = Version(
        bot=f"{bot.name} v1", name=bot.name, number=1, owner=bot.name, digest=hashed,
        message="", submitted=utc_now(),
    )  # fmt: skip
    with Run.open_beside(ladder.folder) as run:
        registry = Registry(run.file, run.connection)
        registry.add_version(version)
        head = ladder.run_header(registry.versions(), run.header.seed, run.header.created)
        write_header(run.connection, ladder.folder, head)


@pytest.mark.parametrize("deals", [2, soak_only(4)])
def test_a_bot_remembers_without_a_sandbox(tmp_path: Path, deals: int) -> None:
    assert recalled(tmp_path, "none", deals, workers=1)


@pytest.mark.parametrize(("level", "deals"), SIZES)
def test_a_bot_remembers_nothing_in_a_tournament(tmp_path: Path, level: str, deals: int) -> None:
    assert recalled(tmp_path, sandboxed(level), deals, workers=deals // 2) == []


@pytest.mark.soak
@pytest.mark.parametrize(("level", "deals"), SIZES)
def test_with_the_system_on_the_disk_it_has_only_the_clock(
    tmp_path: Path, level: str, deals: int
) -> None:
    """What was read or looked for before takes less time, as the page on the sandbox says."""
    sandbox = {"level": sandboxed(level, memory=False), "system": "host"}
    found = recalled(tmp_path, sandbox, deals, workers=deals // 2)
    ways = {way for note in found for way in note.removeprefix("recalled ").split(", ")}
    assert all(way.endswith(" by time") and "own" not in way for way in ways), ways


def test_a_bot_remembers_nothing_in_a_night(tmp_path: Path) -> None:
    """Three bots share all games."""
    ladder = factories.create_ladder(tmp_path / "ladder", sandbox=sandboxed(HIGHEST))
    for name in ("ann", "bob"):
        factories.add_version(ladder, name, owner=name)
    join(ladder, attacker(tmp_path))
    small_runs.check_command("ladder", "night", ladder.folder, "--games", "6", "--workers", "1")
    notes = notes_in(ladder.folder)
    assert len(notes) >= 6, "the turns of one block"
    assert set(notes) == {NOTHING}


@pytest.mark.soak
@pytest.mark.parametrize("level", ["standard", "strict"])
def test_a_bot_remembers_nothing_on_a_ladder(tmp_path: Path, level: str) -> None:
    """From its submission with games of placement to a night with the reference bots."""
    folder = tmp_path / "ladder"
    small_runs.check_command("ladder", "init", folder, "--with-reference")
    keys = {**KEYS, "variants": ["stick-em"], "sandbox": sandboxed(level)}
    (folder / "ladder.yaml").write_text(yaml.safe_dump(keys))
    small_runs.check_command("submit", attacker(tmp_path), "--to", folder)
    small_runs.check_command("ladder", "night", folder, "--games", "60", "--workers", "2")
    notes = notes_in(folder)
    assert len(notes) >= 6, "the turns of one block"
    assert set(notes) == {NOTHING}
