"""The reference bots: all are there by name, keep to the protocol and repeat themselves."""

import json
from pathlib import Path

import pytest

from arena.bots.bot import reference
from arena.cli.new import KITS
from tests.conftest import Run
from tests.reference.conftest import Built

LADDER = ("random", "first-legal", "careful", "counter", "sampler", "champion")
SMALL = ("ducker", "highest", "last-legal", "lowest")


def test_what_comes_with_the_program() -> None:
    assert set(reference()) == {*LADDER, *SMALL, *KITS}


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDER)
def test_it_passes_every_check(arena: Run, built: Built, builds: Path, name: str) -> None:
    """With little time, so that who thinks does not think for hours."""
    built(name)
    clock = "move=0.01,bank=10"
    done = arena("check", name, "--clock", clock, "--json", XDG_CACHE_HOME=str(builds))
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
