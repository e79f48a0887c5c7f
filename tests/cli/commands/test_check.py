"""`arena check` tells a person or a program whether a bot keeps to the protocol."""

import json
from pathlib import Path

import pytest

from arena.conformance.steps import STEPS
from tests.cli.invoke import invoke_arena
from tests.suite.stages import soak_only

MISBEHAVING = Path(__file__).parents[2] / "misbehaving"


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["stick-em", soak_only("was-sticht")])
def test_a_correct_bot_passes(variant: str) -> None:
    done = invoke_arena("check", "first-legal", "--variant", variant, columns=120)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(STEPS)]] == ["Passed"] * len(STEPS)
    assert lines[-1].endswith("keeps to the protocol")


@pytest.mark.slow
def test_a_wrong_bot_fails() -> None:
    done = invoke_arena("check", str(MISBEHAVING / "exits.py"), "--variant", "sticheln")
    assert done.exit_code == 1
    assert "Failed  3 G3  games" in done.stdout
    assert "division by zero, or so" in done.stdout
    assert "Not tried, since nothing works without that: speed, id" in done.stdout
    assert "1 of 18 steps failed" in done.stdout


@pytest.mark.slow
def test_json() -> None:
    done = invoke_arena(
        "check", str(MISBEHAVING / "illegal.py"), "--variant", "stick-em*", "--json"
    )
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert [one["step"] for one in found] == [step.name for step in STEPS]
    (failed,) = (one for one in found if one["passed"] is False)
    assert failed["clause"] == "A2"
    assert json.loads(failed["request"])["type"] == "decide"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-bot"], "no-such-bot does not exist"),
        (["random", "--variant", "skat*"], "no variant is called 'skat*'"),
        (["random", "--variant", "stichlen"], "did you mean 'sticheln'?"),
        ([str(MISBEHAVING / "plays_something_else.py"), "--variant", "sticheln"], "plays none of"),
    ],
)
def test_wrong_arguments_are_rejected(words: list[str], said: str) -> None:
    done = invoke_arena("check", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
