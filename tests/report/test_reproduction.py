"""The command that plays a game again says all that matters, and not where our bots are."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from arena.protocol.messages import Limits
from arena.report.reproduction import beside, reproduction, timed
from arena.store.header import Entrant
from tests.store.blocks import header

HERE = str(Path(__file__).parent)


@pytest.mark.parametrize(
    ("settings", "level", "more"),
    [
        ({}, None, ""),
        ({"clock": to_builtins(Limits())}, None, ""),
        ({"clock": to_builtins(Limits(move=0.5))}, None, "--clock move=0.5"),
        ({"clock": to_builtins(Limits(move=2.0, wall=60.0))}, None, "--clock move=2,wall=60"),
        ({"clock": "none"}, None, "--no-clock"),
        ({"faults": {"policy": "strict"}}, None, "--strict"),
        ({"faults": {"policy": "forfeit"}}, None, ""),
        ({}, "strict", "--sandbox strict"),
        ({}, "none", "--sandbox none"),
        ({}, "standard", ""),
        (
            {"clock": "none", "faults": {"policy": "strict"}},
            "none",
            "--no-clock --strict --sandbox none",
        ),
    ],
)
def test_what_matters(settings: dict[str, Any], level: str | None, more: str) -> None:
    about = header(("ann", "bob"), settings=settings)
    told = reproduction(about, "sticheln", ("bob", "ann", "bob"), 7, 0, level, typed=beside)
    words = ["arena", "play", "sticheln", "./bob", "./ann", "./bob", "--seed", "7", *more.split()]
    assert shlex.split(told) == words


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"{HERE}/my_bot.py", "./my_bot.py"),
        (f"{HERE}/my bot", "./my bot"),
        (f"{HERE}/-x", "./-x"),
        ("careful", "careful"),
        ("ladder:careful", "ladder:careful"),
    ],
)
def test_no_path_of_this_machine(path: str, shown: str) -> None:
    assert beside(path) == shown
    about = replace(header(), bots=(Entrant("ann", "1", path),))
    told = reproduction(about, "sticheln", ("ann",), 1, 0, None, typed=beside)
    assert HERE not in told
    assert shlex.split(told)[3] == shown


def test_who_is_not_in_the_header_keeps_its_name() -> None:
    told = reproduction(header(), "sticheln", ("zoe; rm -r x",), 1, 0, None, typed=beside)
    assert shlex.split(told)[3] == "zoe; rm -r x"


def test_limits() -> None:
    assert timed(Limits()) is None
    assert timed(Limits(start=1.0, bank=0.25)) == "start=1,bank=0.25"


def test_the_turn_is_told() -> None:
    told = reproduction(header(), "sticheln", ("ann",), 1, 2, None, typed=beside)
    assert "--seed 1 --turn 2" in told
