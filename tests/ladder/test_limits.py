"""The time for a submission follows from the clock, and reading what was sent has little memory."""

import resource
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.sandbox import NO_SANDBOX
from arena.conformance.check import run_steps
from arena.conformance.conversation import CheckProgress
from arena.games.catalog import VARIANTS
from arena.ladder import limits
from arena.ladder.create import DEFAULT_VARIANTS as USUAL
from arena.ladder.create import settings_text
from arena.ladder.folder import Ladder
from arena.ladder.settings import LadderSettings, load_settings
from arena.ladder.submissions.placement import select_cells
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.web.server_process import TIMEOUT

pytestmark = pytest.mark.slow

HALF_AN_HOUR = 30 * 60

THINKING = """\
import json, sys, time

print('{"type":"ready","games":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        end = time.process_time() + 0.12 * message["clock"]["move"] if message["clock"] else 0
        while time.process_time() < end:
            pass
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        print(json.dumps(answer), flush=True)
"""
"""A bot that thinks for 2.4 ms about every decision: too long for all its placement games."""

SLEEPING = factories.INNOCENT_BOT.replace("choice = ", "time.sleep(0.5); choice = ")
"""A bot that takes long without computing, which no clock forbids."""

CLOCK = {"start": 10, "move": 0.02, "bank": 20, "wall": 60}
"""Eight times what the bot needs, since a decision takes more CPU time on a busy machine."""


def usual(folder: Path) -> LadderSettings:
    folder.mkdir()
    (folder / "ladder.yaml").write_text(settings_text("usual", USUAL, [3, 4]))
    return load_settings(folder)


@pytest.mark.needs("sandbox")
def test_a_bot_that_uses_its_clock_fits(tmp_path: Path) -> None:
    """It has time for a check and for placement games, twice over: half an hour was too little."""
    settings = usual(tmp_path / "usual")
    clock, first = settings.keys.clock, settings.cells[0]
    least = clock.move * limits.check_decisions(settings) + 6 * (75 * clock.move + clock.bank)
    assert (first.variant, limits.placement_games(first), limits.decisions_per_seat(first)) == (
        "sticheln",
        6,
        75,
    )
    assert limits.submission_seconds(settings) > 2 * least > HALF_AN_HOUR
    assert limits.submission_seconds(settings) < 3 * 60 * 60
    assert limits.too_long_text("it", limits.submission_seconds(settings), clock) == (
        "it took longer than 127 minutes, which is enough for a bot that thinks 1 s about each "
        "decision; let it answer faster"
    )


def test_the_clock_decides(tmp_path: Path) -> None:
    seconds = [
        limits.submission_seconds(
            factories.create_ladder(tmp_path / f"{move}", clock={"move": move}).settings
        )
        for move in (0.1, 1, 10)
    ]
    assert seconds == sorted(seconds)
    assert seconds[2] > 5 * seconds[0]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(USUAL, marks=pytest.mark.soak),
        pytest.param(["was-sticht"], marks=pytest.mark.soak),
        ["stick-em"],
    ],
)
def test_a_check_asks_no_more_than_is_reckoned_with(tmp_path: Path, names: list[str]) -> None:
    """But for games at once, which are broken off when it takes long."""
    ladder = factories.create_ladder(tmp_path / "ladder", variants=list(names), seats="all")
    answered: Counter[str] = Counter()

    def watch(pace: CheckProgress) -> None:
        answered[pace.step] = pace.answer_count

    with Launcher(NO_SANDBOX) as launcher:
        variants = [one for name, one in VARIANTS.items() if name in names]
        found = run_steps(load_bot("first-legal"), launcher, variants, on_progress=watch)
        assert all(one.passed for one in found)
    del answered["interleaving"]
    reckoned = limits.check_decisions(ladder.settings)
    assert 0.4 * reckoned < answered.total() < 1.5 * reckoned, "the slack covers what is left"


def test_a_bot_that_thinks_is_accepted(ladder: Ladder, tmp_path: Path) -> None:
    """Its games are cut to fit, and what it is told says so."""
    slow = factories.change_settings(
        ladder.folder,
        seats=[3, 4],
        clock=CLOCK,
        placement={"games": 12, "share": 0.5, "minutes": 0.01},
    )
    begun = time.monotonic()
    fate, said = factories.submit_bot(slow, factories.write_script(tmp_path, content=THINKING))
    spent = time.monotonic() - begun
    assert fate == "accepted", said
    (placed,) = (one for one in said if one.step == "placement")
    assert placed.text.startswith("6 games, ")
    assert placed.text.endswith("a decision; more of the 18 did not fit into 0.01 minutes")
    assert spent < limits.submission_seconds(slow.settings)
    assert len(select_cells(slow.settings.cells, 12)) == 2


def test_a_bot_that_takes_too_long_is_refused(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, here and by the command; nothing of it runs on."""
    monkeypatch.setattr(limits, "check_wall_seconds", lambda _settings: 4.0)
    file = factories.write_script(tmp_path, content=SLEEPING)
    before = factories.ladder_state(ladder.folder)
    with check_no_leftovers(TIMEOUT):
        fate, said = factories.submit_bot(ladder, file)
        shown = invoke_arena("submit", file, "--to", ladder.folder, "--owner", "ann")
    assert (fate, said[-1].step, said[-1].passed) == ("refused", "time", False)
    assert said[-1].text == (
        "building and checking it took longer than 4 s, which is enough for a bot that thinks 60 s "
        "about each decision; let it answer faster"
    )
    assert shown.exit_code == 1, shown.output
    assert "building and checking it took longer than" in shown.output
    assert factories.ladder_state(ladder.folder) == before


def test_a_bot_that_only_waits_is_refused_early(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the limit, since it takes much more time than it thinks."""
    monkeypatch.setattr(limits, "CHECK_GRACE", 2.0)
    quick = factories.change_settings(
        ladder.folder, clock={"start": 2, "move": 0.1, "bank": 1, "wall": 30}
    )
    assert limits.check_wall_seconds(quick.settings) > 600
    with check_no_leftovers(TIMEOUT):
        fate, said = factories.submit_bot(quick, factories.write_script(tmp_path, content=SLEEPING))
    assert (fate, said[-1].step, said[-2].step) == ("refused", "time", "check answer")
    assert said[-1].text.startswith("its answers took longer than ")
    assert "a bot that thinks 0.1 s about each decision" in said[-1].text


def test_a_bot_that_takes_too_long_only_when_it_counts(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "placement_wall_seconds", lambda _settings: 4.0)
    with check_no_leftovers(TIMEOUT):
        fate, said = factories.submit_bot(
            ladder, factories.write_script(tmp_path, content=factories.guilty_bot("time.sleep(1)"))
        )
    assert (fate, said[-1].step) == ("refused", "time")
    assert said[-1].text.startswith("its placement games took longer than 4 s, which is enough ")


def test_an_end_in_time() -> None:
    with limits.time_limit(0.05, ValueError("late")):
        pass
    time.sleep(0.1)
    with pytest.raises(ValueError, match="late"), limits.time_limit(0.05, ValueError("late")):
        never()


def never() -> None:
    """Sleep for ever, and take no error for a reason to end."""
    while True:
        with suppress(Exception):
            time.sleep(1)


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_MEMORY", 64 << 20)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limits.memory_limit(ValueError("large")):
        assert len(bytearray(32 << 20)) == 32 << 20
    with pytest.raises(ValueError, match="large"), limits.memory_limit(ValueError("large")):
        bytearray(256 << 20)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_a_manifest_that_takes_too_much_memory(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_MEMORY", 64 << 20)
    greedy = "arena.ladder.submissions.pipeline.manifest_process.load_untrusted_manifest"
    monkeypatch.setattr(greedy, lambda _file: bytearray(256 << 20))
    made = factories.write_bot_folder(
        tmp_path / "ann", "name: ann\nrun: [./a.sh]\n", a_sh="#!/bin/sh\n"
    )
    fate, said = factories.submit_bot(ladder, factories.pack_folder(made))
    assert (fate, said[-1].step) == ("refused", "manifest")
    assert said[-1].text.startswith("reading it took more than 1,024 MiB of memory; make bot.yaml")
