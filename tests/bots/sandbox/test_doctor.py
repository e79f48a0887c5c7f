"""The doctor runs a program inside walls and tells what it saw."""

import os

import pytest

from arena.bots.sandbox.doctor import gather, setting, told
from arena.bots.sandbox.sandbox import counted

STATUS = """Name:\tcat
Uid:\t61000\t61000\t61000\t61000
CapInh:\t0000000000000000
CapPrm:\t0000000000000000
CapEff:\t0000000000000000
CapBnd:\t{bound}
NoNewPrivs:\t{new}
Seccomp:\t{filter}
cgroup:[4026531835]
pid:[4026532000]
pid:[4026532000]
time:[4026531834]
"""


@pytest.mark.needs("sandbox")
def test_this_machine() -> None:
    facts = gather()
    assert not facts.refused
    assert facts.inside
    assert {"ipc", "mnt", "net", "pid", "uts"} <= set(facts.inside.namespaces)
    assert ("user" in facts.inside.namespaces) == (not facts.root)
    assert (facts.inside.filtered, facts.inside.powerless) == (True, True)
    assert facts.inside.user not in {0, os.geteuid()}
    assert facts.root == (os.geteuid() == 0)
    assert facts.version[0].isdecimal()
    assert (facts.counting is None) == (counted() is None)


def test_what_a_program_inside_has_seen() -> None:
    seen = told(
        STATUS.format(bound="0000000000000000", new="1", filter="2"),
        {"cgroup:[4026531835]", "pid:[4026531836]", "time:[4026531834]"},
    )
    assert (seen.namespaces, seen.user) == (("pid",), 61_000)
    assert (seen.filtered, seen.powerless) == (True, True)


@pytest.mark.parametrize(
    ("bound", "new", "filtered", "powerless"),
    [("00000000a80425fb", "1", True, False), ("0000000000000000", "0", False, False)],
)
def test_rights_that_are_left_are_seen(
    bound: str, new: str, filtered: bool, powerless: bool
) -> None:
    text = STATUS.format(bound=bound, new=new, filter="2" if filtered else "0")
    seen = told(text, set())
    assert (seen.filtered, seen.powerless) == (filtered, powerless)


def test_settings_of_the_kernel() -> None:
    assert setting("kernel.ostype") == "Linux"
    assert setting("kernel.no_such_setting") is None
