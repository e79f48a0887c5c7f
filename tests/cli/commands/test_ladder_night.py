"""`arena ladder night` plays a ladder, and says what changed."""

import json
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.ladder import cleanup
from arena.ladder.folder import BOTS_FOLDER, Ladder
from arena.ladder.night_lifecycle import make_night_limits
from arena.ladder.registry import Registry
from arena.store.run import Run
from arena.store.search import game_id
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.tournaments.small_runs import (
    TIMEOUT,
    CompletedCommand,
    run_command,
    wait_for,
    wait_for_end,
)


@pytest.fixture
def trio(empty_ladder: Ladder) -> Ladder:
    """A ladder of three bots."""
    for name in ("ann", "bob", "cleo"):
        factories.add_version(empty_ladder, name, owner=name)
    return empty_ladder


def night(ladder: Ladder, *words: str, games: int = 6) -> CompletedCommand:
    """Play a night, with the command in this process; its worker is another one."""
    words = ("ladder", "night", str(ladder.folder), "--games", str(games), "--workers", "1", *words)
    done = invoke_arena(*words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return CompletedCommand(words, done.exit_code, done.stdout, done.stderr)


def check(done: CompletedCommand, status: int) -> None:
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def lose(ladder: Ladder, bot: str) -> None:
    with Registry.open(ladder.folder) as registry:
        digest = next(one.digest for one in registry.versions() if one.bot == bot)
    shutil.rmtree(ladder.folder / BOTS_FOLDER / digest)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "2h", "--games", "5"), "say one of --for, --until and --games"),
        (("--for", "soon"), "'soon' is no time; it takes a time such as 2h, 90m or 1h30m"),
        (("--for", ""), "'' is no time"),
        (("--until", "25:00"), "'25:00' is no time of day; it takes one such as 06:00"),
        (("--games", "0"), "0 is not in the range x>=1"),
        (("--workers", "0"), "0 is not in the range x>=1"),
        (("--sandbox", "off"), "'off' is not one of"),
    ],
)
def test_wrong_arguments_begin_no_night(
    empty_ladder: Ladder, words: tuple[str, ...], said: str
) -> None:
    done = invoke_arena("ladder", "night", empty_ladder.folder, *words)
    assert done.exit_code == 2
    assert said in done.stderr
    with Registry.open(empty_ladder.folder) as registry:
        assert registry.nights() == []


def test_too_few_bots(empty_ladder: Ladder) -> None:
    factories.add_version(empty_ladder, "ann")
    for _ in range(2):
        done = invoke_arena("ladder", "night", empty_ladder.folder, "--games", 1)
        assert done.exit_code == 2
        assert "has 1 bot that can play, and a table needs 3; submit more, or" in done.stderr
    with Registry.open(empty_ladder.folder) as registry:
        assert registry.nights() == []


def test_a_second_night_at_the_same_time_is_rejected(trio: Ladder) -> None:
    with Run.open_for_writing(trio.folder):
        done = invoke_arena("ladder", "night", trio.folder, "--games", 1)
    assert done.exit_code == 75
    assert "this run is being played by process" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")


def test_a_disk_that_is_nearly_full(trio: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MIN_FREE_BYTES", 1 << 60)
    done = invoke_arena("ladder", "night", trio.folder, "--games", 1)
    assert done.exit_code == 2
    assert "MiB are free on its disk; it needs" in done.stderr


def test_terms_that_were_changed(played_ladder: Ladder) -> None:
    factories.change_settings(played_ladder.folder, clock={"move": 1.0})
    done = invoke_arena("ladder", "night", played_ladder.folder, "--games", 1)
    assert done.exit_code == 2
    assert "ladder.yaml: 'clock' was {" in done.stderr
    (played_ladder.folder / "ladder.yaml").write_text("no: [")
    assert "it is not YAML" in invoke_arena("ladder", "night", played_ladder.folder).stderr


@pytest.mark.slow
def test_a_night_and_the_next(trio: Ladder) -> None:
    done = run_command("ladder", "night", trio.folder, "--games", "6", "--workers", "1")
    check(done, 0)
    assert "Night 1 of small begins: 3 bots, 1 cell, 1 core, sandbox none\n" in done.stdout
    assert "\nNight 1: 6 games in 1 block" in done.stdout
    assert "new      " in done.stdout
    assert f"{trio.folder}/site/index.html: " in done.stdout
    assert "The sandbox is off" in done.stderr
    log = cleanup.night_log(trio, 1).read_text()
    assert "night 1, sandbox none" in log
    assert "6 games in" in log
    assert "Last night" in (trio.folder / "site" / "index.html").read_text()
    assert 'id="night-1"' in (trio.folder / "site" / "nights.html").read_text()
    shown = invoke_arena("ladder", "show", trio.folder)
    assert "small · stick-em, 3 seats · 1 block · 6 games" in shown.stdout
    factories.change_settings(trio.folder, seats=[3, 4], deals=2, workers=1, night="5m")
    again = night(trio, "--json", games=12)
    check(again, 0)
    told = json.loads(again.stdout)
    assert (told["blocks"], told["games"], told["new"], told["retired"]) == (2, 12, [], [])
    assert "Night 2 of small begins" in again.stderr
    unplayed = "Not played: stick-em, 4 seats: too few bots of different owners for a table"
    assert unplayed in again.stderr
    assert "4 seats was not played" in (trio.folder / "site" / "nights.html").read_text()
    assert invoke_arena("verify", trio.folder, "--quiet", "--workers", 1).exit_code == 0


@pytest.mark.slow
def test_a_bot_that_cannot_be_played_is_left_out(trio: Ladder) -> None:
    factories.add_version(trio, "dan", owner="dan")
    lose(trio, "ann v1")
    done = night(trio)
    check(done, 1)
    assert "left out ann v1: " in done.stdout
    assert "3 bots, 1 cell" in done.stdout
    with Registry.open(trio.folder) as registry:
        summary = registry.nights()[0].summary
        assert [one.state for one in registry.versions()] == ["active"] * 4
    assert summary is not None
    assert [bot for bot, _ in summary.left_out] == ["ann v1"]


@pytest.mark.slow
def test_a_bot_with_faults_is_retired_with_a_reason(trio: Ladder) -> None:
    factories.change_settings(trio.folder, retire={"share": 0.1, "games": 6})
    factories.add_version(trio, "eve", factories.guilty_bot('choice = "Z99"'), owner="eve")
    done = night(trio, games=18)
    check(done, 0)
    assert "retired  eve v1: at fault in " in done.stdout
    assert "eve v1 was at fault: see arena games" in done.stdout + done.stderr
    with Registry.open(trio.folder) as registry:
        eve = registry.versions()[-1]
    assert eve.state == "retired"
    assert " games, and more than 10 % are too many; the faults are below" in eve.why
    pages = "".join(path.read_text() for path in (trio.folder / "site" / "bots").glob("*eve*"))
    assert "at fault in" in pages
    assert "eve v1" not in invoke_arena("ladder", "show", trio.folder).stdout
    check(night(trio), 0)
    with Registry.open(trio.folder) as registry:
        assert registry.nights()[-1].bots == ("ann v1", "bob v1", "cleo v1")
    submitted = invoke_arena(
        *(
            "submit",
            factories.write_script(
                trio.folder.parent, "eve.py", factories.guilty_bot('choice = "Z99"')
            ),
        ),
        *("--to", trio.folder, "--owner", "eve"),
        columns=200,
    )
    assert submitted.exit_code == 1
    assert "this is eve v1, which is on the ladder already and was retired: at" in submitted.stdout


def interrupt_night(ladder: Ladder, number: signal.Signals, games: int = 10**6) -> CompletedCommand:
    """A night that is ended by a signal once it has kept some games."""
    words = ["ladder", "night", str(ladder.folder), "--games", str(games), "--workers", "1"]
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen(
            [sys.executable, "-m", "arena", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        wait_for(lambda: size(ladder.folder), process)
        process.send_signal(number)
        return wait_for_end(process)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)]
)
def test_interrupted_and_gone_on_with(trio: Ladder, number: signal.Signals) -> None:
    done = interrupt_night(trio, number, 6000)
    check(done, 128 + number)
    assert "which are all kept.\n" in done.stdout
    command = f"arena ladder night {trio.folder} --games 6000 --workers 1"
    assert done.stdout.endswith(f"To go on: {command}\n")
    kept = size(trio.folder)
    assert kept
    again = night(trio, games=kept + 6)
    check(again, 0)
    assert "Night 1 of small goes on: " in again.stdout
    assert f"\nIt ends after {kept + 6:,} games.\n" in again.stdout
    assert size(trio.folder) == kept + 6, "games count from the beginning of the night"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("--for", "1s"), "It ends at ", marks=pytest.mark.soak),
        ((), "or after 1,000,000 games, which"),
    ],
)
def test_a_resumed_night_ends_at_the_given_time(
    trio: Ladder, words: tuple[str, ...], said: str
) -> None:
    """With no option it is the usual length of a night that ends one without an end."""
    factories.change_settings(trio.folder, night="1s")
    check(interrupt_night(trio, signal.SIGKILL), -signal.SIGKILL)
    kept = size(trio.folder)
    again = invoke_arena("ladder", "night", trio.folder, "--workers", 1, *words)
    assert again.exit_code == 0, again.output
    assert "Night 1 of small goes on: " in again.stdout
    assert said in again.stdout
    assert kept <= size(trio.folder) < 10**6
    with Registry.open(trio.folder) as registry:
        assert registry.open_night() is None
        (only,) = registry.nights()
    assert only.summary is not None
    assert only.summary.games == size(trio.folder)


def size(folder: Path) -> int:
    with Run.open(folder) as run:
        return run.game_count()


@pytest.mark.slow
def test_a_night_whose_time_is_over_is_ended_and_a_new_one_begins(trio: Ladder) -> None:
    past = datetime.now().astimezone() - timedelta(hours=1)
    with Registry.open(trio.folder) as registry:
        registry.begin_night(make_night_limits(None, past, 1), ["ann v1", "bob v1", "cleo v1"])
    done = night(trio)
    check(done, 0)
    assert "Night 2 of small begins" in done.stdout
    with Registry.open(trio.folder) as registry:
        first, second = registry.nights()
    assert first.ended is not None
    assert first.summary is not None
    assert first.summary.games == 0
    assert second.summary is not None
    assert second.summary.games == 6


@pytest.mark.soak
def test_records_of_old_versions_go_and_all_else_stays(trio: Ladder) -> None:
    """So do their builds and, after as many nights as are asked for, their files."""
    factories.change_settings(trio.folder, keep={"records": 1, "logs": 2, "files": 2})
    quiet = night(trio, "--quiet")
    check(quiet, 0)
    assert "begins" not in quiet.stdout
    assert "Night 1: 6 games in 1 block" in quiet.stdout
    with Run.open(trio.folder) as run:
        (old,) = run.block_keys()
    with Registry.open(trio.folder) as registry:
        before = {one.digest for one in registry.versions()}
    for digest in before:
        trio.build_folder(digest).mkdir(parents=True)
    after = {
        factories.add_version(
            trio, name, f"{factories.INNOCENT_BOT}# {name} anew\n", owner=name
        ).digest
        for name in ("ann", "bob", "cleo")
    }
    time.sleep(1)  # times are kept in seconds
    check(night(trio), 0)
    assert not any(trio.build_folder(digest).exists() for digest in before)
    assert {place.name for place in (trio.folder / BOTS_FOLDER).iterdir()} == before | after
    check(night(trio), 0)
    assert {place.name for place in (trio.folder / BOTS_FOLDER).iterdir()} == after
    shown = invoke_arena("show", trio.folder, game_id(old, 0))
    assert shown.exit_code == 2
    assert "the records of this block were dropped" in shown.stderr
    verified = invoke_arena("verify", trio.folder, "--workers", 1)
    assert verified.exit_code == 0, verified.output
    listed = invoke_arena("games", trio.folder, "--json")
    assert listed.exit_code == 0
    assert len({path.name for path in (trio.folder / "logs").iterdir()}) == 2
    assert (trio.folder / "site" / "index.html").is_file()
    with Run.open(trio.folder) as run:
        assert run.game_count() == 18
        fresh = next(iter(run.block_keys() - {old}))
    assert invoke_arena("show", trio.folder, game_id(fresh, 0)).exit_code == 0
