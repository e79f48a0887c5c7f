"""The way of one question and its answer: few modules, and those that the page names."""

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

import arena
from arena.referee import referee
from tests.referee.scripted_table import start_scripted_table

PROGRAM = Path(arena.__file__).parent
PAGE = (PROGRAM / "referee" / "README.md").read_text()

REPLACED = {"arena.bots.process"}
"""Modules whose part in it is scripted here."""


def test_the_modules_of_a_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    called: set[str] = set()

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.add(frame.f_globals.get("__name__", ""))

    with start_scripted_table() as table:
        table.play("> hello\n< ready\n> start\n> decide 1")
        table.play("+ 1 cpu 0.1\n< choose 1\n> decide 2")
        monkeypatch.setattr(table.referee.watchdog, "check_all", lambda _now: None)
        monkeypatch.setattr(referee, "CHECK_INTERVAL_NS", 0)
        sys.setprofile(watch)
        try:
            table.play("< choose 2")
        finally:
            sys.setprofile(None)
        table.play("> decide 3")
    rules = {name for name in called if name.startswith("arena.games.")}
    ours = {name for name in called if name.startswith("arena.")} - rules
    (listed,) = re.findall(r"Seven modules take part: (.*?), besides", PAGE, re.DOTALL)
    names = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", listed)}
    found = {name.rpartition(".")[2] for name in ours | REPLACED} - {"fair_clock"}
    assert found == names
    assert len(names) == 7
