"""A step takes no longer than it has to, and tells how far it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.conformance import steps as conformance_steps
from arena.conformance.check import DEFAULT_LIMITS, StepResult, run_step
from arena.conformance.conversation import CheckProgress
from arena.conformance.scripted_game import BotUnderTest
from arena.conformance.steps import STEPS
from arena.games.catalog import variant

pytestmark = pytest.mark.slow

GAMES = 8
QUESTIONS = 75
"""In a game of Sticheln with three seats."""

BOT = """
import json, sys
last, known = None, set()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready", "games": 8}', flush=True)
    elif message["type"] == "decide":
        game = message["game"]
        assert GOOD
        last = game
        known.add(game)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][0]}
        print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


def tried(
    name: str, launcher: Launcher, folder: Path, good: str = "True"
) -> tuple[StepResult, list[tuple[int, float | None]]]:
    """How a step goes with a bot, and what was told of its pace."""
    script = folder / "bot.py"
    script.write_text(BOT.replace("GOOD", good))
    candidate = BotUnderTest(load_bot(script), launcher, DEFAULT_LIMITS, [variant("sticheln")])
    steps = {step.name: step for step in STEPS}
    assert run_step(steps["handshake"], candidate, CheckProgress()).passed
    told: list[tuple[int, float | None]] = []
    pace = CheckProgress(name, lambda pace: told.append((pace.answer_count, pace.expected_answers)))
    return run_step(steps[name], candidate, pace.begin()), told


@pytest.mark.parametrize(("name", "games"), [("games", 3), ("speed", 1), ("interleaving", GAMES)])
def test_the_pace(tmp_path: Path, launcher: Launcher, name: str, games: int) -> None:
    outcome, told = tried(name, launcher, tmp_path)
    assert outcome.passed
    assert told[0] == (0, None)
    assert [answered for answered, _ in told] == list(range(games * QUESTIONS + 1))
    assert told[-1] == (games * QUESTIONS, games * QUESTIONS)


def test_games_at_once_are_broken_off(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes too long ends once all games were open together and went on."""
    monkeypatch.setattr(conformance_steps, "INTERLEAVING_SECONDS", 0.0)
    outcome, told = tried("interleaving", launcher, tmp_path)
    answered, expected = told[-1]
    assert outcome.passed
    assert (
        GAMES * conformance_steps.MIN_QUESTIONS
        <= answered
        < GAMES * (conformance_steps.MIN_QUESTIONS + 1)
    )
    assert outcome.text == f"{GAMES} games at once, their first {answered} questions"
    assert expected == GAMES * conformance_steps.MIN_QUESTIONS


@pytest.mark.parametrize("good", ["last in (None, game)", "last == game or game not in known"])
def test_they_are_still_checked(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch, good: str
) -> None:
    """A bot that mixes games up is found out before they are broken off."""
    monkeypatch.setattr(conformance_steps, "INTERLEAVING_SECONDS", 0.0)
    outcome, _ = tried("interleaving", launcher, tmp_path, good)
    assert (outcome.passed, outcome.clause) == (False, "G3")
