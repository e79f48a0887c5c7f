"""The command that plays a game again names all that matters, and no folder of this machine."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from arena.protocol.messages import Limits
from arena.store.header import Entrant
from arena.store.play_command import clock_argument, local_path, play_command
from tests.store.blocks import make_header

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
def test_commands_that_repeat_a_fault(
    settings: dict[str, Any], level: str | None, more: str
) -> None:
    about = make_header(("ann", "bob"), settings=settings)
    told = play_command(
        about, "sticheln", ("bob", "ann", "bob"), 7, 0, level, format_path=local_path
    )
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
    assert local_path(path) == shown
    about = replace(make_header(), bots=(Entrant("ann", "1", path),))
    told = play_command(about, "sticheln", ("ann",), 1, 0, None, format_path=local_path)
    assert HERE not in told
    assert shlex.split(told)[3] == shown


def test_a_bot_outside_the_header_keeps_its_name() -> None:
    told = play_command(
        make_header(), "sticheln", ("zoe; rm -r x",), 1, 0, None, format_path=local_path
    )
    assert shlex.split(told)[3] == "zoe; rm -r x"


def test_clock_arguments() -> None:
    assert clock_argument(Limits()) is None
    assert clock_argument(Limits(start=1.0, bank=0.25)) == "start=1,bank=0.25"


def test_commands_contain_the_turn() -> None:
    told = play_command(make_header(), "sticheln", ("ann",), 1, 2, None, format_path=local_path)
    assert "--seed 1 --turn 2" in told
