"""Versions are told apart by all digits of their digest, also where 12 of them are the same."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from arena.bots.bot import Bot, builtin_bots, load_bot
from arena.errors import ArenaError
from arena.store.run import Run
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.play.dispatcher import BotFiles
from arena.tournaments.play.resume import open_run
from tests.cli.invoke import invoke_arena
from tests.tournaments.fake_tournaments import fake_bot, fake_bots
from tests.tournaments.scripted_backend import small_tournament as any_small
from tests.tournaments.small_runs import ONE_GAME, invoke_tournament, write_tournament

pytestmark = pytest.mark.slow

ONE, OTHER = "0123456789ab" + "0" * 52, "0123456789ab" + "f" * 52
"""Two digests that people see no difference between."""


def tournament(digest: str) -> Tournament:
    """A small tournament with a bot of this digest."""
    return any_small(bots=(fake_bot("fox", digest), *fake_bots(5)))


def make_old(folder: Path) -> None:
    """Let a run be as earlier releases have stored it: with 12 digits."""
    with closing(sqlite3.connect(folder / "run.db")) as connection, connection:
        connection.execute("UPDATE bot SET version = substr(version, 1, 12)")
        (told,) = connection.execute("SELECT settings FROM header").fetchone()
        settings = msgspec.json.decode(told)
        settings["bots"] = {name: each[:12] for name, each in settings["bots"].items()}
        text = msgspec.json.encode(settings, order="sorted").decode()
        connection.execute("UPDATE header SET settings = ?", (text,))


def stored_digests(folder: Path) -> dict[str, str]:
    """The versions that a run knows."""
    with Run.open(folder) as run:
        return {each.name: each.version for each in run.header.bots}


def test_a_run_does_not_go_on_with_another_bot(tmp_path: Path) -> None:
    with open_run(tournament(ONE), tmp_path).run as run:
        assert run.header.settings["bots"]["fox"] == ONE
    with pytest.raises(ArenaError, match="fox is another version than this run began with"):
        open_run(tournament(OTHER), tmp_path)
    with open_run(tournament(ONE), tmp_path).run:
        pass


def test_an_old_run_takes_the_digest_of_the_bot_that_goes_on(tmp_path: Path) -> None:
    open_run(tournament(ONE), tmp_path).run.close()
    make_old(tmp_path)
    with pytest.raises(ArenaError, match=r"fox is another version .* \(0123456789ab, now eeee"):
        open_run(tournament("e" * 64), tmp_path)
    with open_run(tournament(ONE), tmp_path).run as run:
        assert run.header.settings["bots"]["fox"] == ONE
    assert stored_digests(tmp_path)["fox"] == ONE
    with pytest.raises(ArenaError, match="fox is another version"):
        open_run(tournament(OTHER), tmp_path)


def test_the_files_of_a_bot() -> None:
    place = builtin_bots()["lowest"]
    found = load_bot(place)
    assert BotFiles([found], [str(place)]).find_changed([0]) is None
    other = replace(found, digest=found.digest[:12] + "0" * 52)
    assert (other.version, other.digest) != (found.version, found.digest)
    assert BotFiles([other], [str(place)]).find_changed([0]) == found.name


def test_records_and_keys_have_twelve_digits(tmp_path: Path) -> None:
    """So that those of runs before stay what they are."""
    one, other = Bot("fox", ONE, (), tmp_path), Bot("fox", OTHER, (), tmp_path)
    assert one.version == other.version == "0123456789ab"
    assert one != other


@pytest.mark.slow
def test_an_old_run_goes_on_and_is_verified(tmp_path: Path) -> None:
    out = tmp_path / "run"
    invoke_tournament(write_tournament(tmp_path, **ONE_GAME), out)
    digests = stored_digests(out)
    assert {len(each) for each in digests.values()} == {64}
    make_old(out)
    done = invoke_arena("verify", out)
    assert done.exit_code == 0, done.stdout + done.stderr
    invoke_tournament(write_tournament(tmp_path, **ONE_GAME | {"deals": 2}), out)
    assert stored_digests(out) == digests
    done = invoke_arena("verify", out)
    assert done.exit_code == 0, done.stdout + done.stderr
    with Run.open(out) as run:
        assert len(run.block_keys()) == 2
