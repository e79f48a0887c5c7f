"""The reference bots: all are there by name, keep to the protocol and repeat themselves."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import asdict

from arena.bots.bot import builtin_bots
from arena.bots.launcher import Launcher
from arena.bots.starter_kits import STARTER_KITS
from arena.conformance.check import StepResult, run_steps
from arena.games.catalog import VARIANTS, variant
from arena.protocol.messages import Limits
from tests.conftest import RunArena
from tests.reference.conftest import FindBot
from tests.suite.stages import soak_only

LADDER = ("random", "first-legal", "careful", "counter", "sampler", "champion")
SMALL = ("ducker", "highest", "last-legal", "lowest")
MOVES = {"champion": 0.002}
"""Seconds for a decision, if not 0.01: little, since some bots think as long as they may."""
BLIND = ("random", "first-legal")
"""Those that do not look at what they play."""
KINDS = ["stick-em+delayed", "sticheln", "sticheln+aggravated+hazy", "hat-trick", "was-sticht"]
"""Every kind of decision there is; most steps of a check play the first, which is the shortest."""
HELD = 4
"""Games at once in a short check."""
TRIALS = 3
"""How often a bot is checked that is only too slow: a busy machine adds to its CPU time."""


def tried(bot: str) -> list[str]:
    """Variants that show all a bot can: each combination of modifiers in one of its two games."""
    if bot in BLIND:
        return KINDS
    one, other, rest = (
        [name for name in VARIANTS if name.startswith(start)]
        for start in ("sticheln", "stick-em", ("hat-trick", "was-sticht"))
    )
    return [*one[::2], *other[1::2], *rest]


def test_the_list_of_builtin_bots() -> None:
    assert set(builtin_bots()) == {*LADDER, *SMALL, *STARTER_KITS}


def test_every_combination_is_tried() -> None:
    rules = [tuple(name.split("+")[1:]) for name in tried("champion")]
    assert len(set(rules)) == 24
    assert len(rules) == 26, "once each, and two games without modifiers"


def limits(name: str) -> Limits:
    """The time in which a bot is checked, with a wall time that is enough on a busy machine."""
    return Limits(move=MOVES.get(name, 0.01), bank=10, wall=60)


def failures(check: Callable[[], Iterable[StepResult]]) -> list[StepResult]:
    """Steps that a bot does not pass."""
    for _ in range(TRIALS):
        failed = [outcome for outcome in check() if not outcome.passed]
        if [outcome.step for outcome in failed] != ["speed"]:
            break
    return failed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counter", pytest.param("champion", marks=pytest.mark.soak)])
def test_a_reference_bot_passes_a_short_check(find_bot: FindBot, name: str) -> None:
    """Every step, at one table for each kind of decision, with few games at once."""
    bot = replace(find_bot(name), games=HELD)
    tables = [replace(variant(kind), seats=variant(kind).seats[:1]) for kind in KINDS]
    with Launcher() as launcher:
        assert failures(lambda: run_steps(bot, launcher, tables, limits(name))) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", LADDER)
def test_a_reference_bot_passes_every_check(
    run_arena: RunArena, find_bot: FindBot, shared_build_cache: Path, name: str
) -> None:
    find_bot(name)
    variants = [word for each in tried(name) for word in ("--variant", each)]
    clock = ",".join(f"{key}={value}" for key, value in asdict(limits(name)).items())

    def outcomes() -> list[StepResult]:
        words = ("check", name, *variants, "--clock", clock, "--json")
        done = run_arena(*words, XDG_CACHE_HOME=str(shared_build_cache))
        found = msgspec.json.decode(done.stdout, type=list[StepResult])
        assert done.returncode == (not all(outcome.passed for outcome in found)), done.stderr
        return found

    assert failures(outcomes) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "move"),
    [
        ("was-sticht", 0.02),
        *(soak_only((name, 0.2)) for name in ("sticheln+hazy", "hat-trick", "was-sticht")),
    ],
)
def test_the_same_seed_is_the_same_game(
    run_arena: RunArena, find_bot: FindBot, shared_build_cache: Path, variant: str, move: float
) -> None:
    """Whatever the machine is doing meanwhile: how much they think follows from the clock."""
    find_bot("champion")
    words = ("play", variant, "champion", "sampler", "counter", "random", "--seed", "5", "--json")
    clock = ("--clock", f"move={move},bank=10")
    once, again = (
        run_arena(*words, *clock, XDG_CACHE_HOME=str(shared_build_cache)) for _ in range(2)
    )
    assert (once.returncode, again.returncode) == (0, 0)
    assert json.loads(once.stdout)["choices"] == json.loads(again.stdout)["choices"]
