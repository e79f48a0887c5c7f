"""The reference bots: all are there by name, keep to the protocol and repeat themselves."""

import json
from pathlib import Path

import pytest

from arena.bots.bot import reference
from arena.cli.new import KITS
from arena.games.catalog import VARIANTS
from tests.conftest import Run
from tests.reference.conftest import Built

LADDER = ("random", "first-legal", "careful", "counter", "sampler", "champion")
SMALL = ("ducker", "highest", "last-legal", "lowest")
CLOCKS = {"champion": "move=0.002,bank=10"}
"""With little time, so that who thinks does not think for hours; this one makes do with less."""
BLIND = ("random", "first-legal")
"""Those that do not look at what they play."""
KINDS = ["sticheln", "sticheln+aggravated+hazy", "stick-em+delayed", "hat-trick", "was-sticht"]
"""Every kind of decision there is."""


def tried(bot: str) -> list[str]:
    """Variants that show all a bot can: each combination of modifiers in one of its two games."""
    if bot in BLIND:
        return KINDS
    one, other, rest = (
        [name for name in VARIANTS if name.startswith(start)]
        for start in ("sticheln", "stick-em", ("hat-trick", "was-sticht"))
    )
    return [*one[::2], *other[1::2], *rest]


def test_what_comes_with_the_program() -> None:
    assert set(reference()) == {*LADDER, *SMALL, *KITS}


def test_every_combination_is_tried() -> None:
    rules = [tuple(name.split("+")[1:]) for name in tried("champion")]
    assert len(set(rules)) == 24
    assert len(rules) == 26, "once each, and two games without modifiers"


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDER)
def test_it_passes_every_check(arena: Run, built: Built, builds: Path, name: str) -> None:
    built(name)
    variants = [word for variant in tried(name) for word in ("--variant", variant)]
    clock = ("--clock", CLOCKS.get(name, "move=0.01,bank=10"))
    done = arena("check", name, *variants, *clock, "--json", XDG_CACHE_HOME=str(builds))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["sticheln+hazy", "hat-trick", "was-sticht"])
def test_the_same_seed_is_the_same_game(
    arena: Run, built: Built, builds: Path, variant: str
) -> None:
    """Whatever the machine is doing meanwhile: how much they think follows from the clock."""
    built("champion")
    words = ("play", variant, "champion", "sampler", "counter", "random", "--seed", "5", "--json")
    clock = ("--clock", "move=0.2,bank=10")
    once, again = (arena(*words, *clock, XDG_CACHE_HOME=str(builds)) for _ in range(2))
    assert (once.returncode, again.returncode) == (0, 0)
    assert json.loads(once.stdout)["choices"] == json.loads(again.stdout)["choices"]
