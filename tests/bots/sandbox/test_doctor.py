"""The doctor runs a program in the sandbox and tells what it saw."""

import os

import pytest
from msgspec.structs import replace

from arena.bots.sandbox.doctor import (
    APPARMOR,
    HostFeatures,
    Layer,
    SandboxInspection,
    detect_features,
    kernel_setting,
    layers,
    parse_inspection,
    remedies,
)
from arena.bots.sandbox.sandbox import usable_cgroups

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
    facts = detect_features()
    assert not facts.refused
    assert facts.inside
    assert {"ipc", "mnt", "net", "pid", "uts"} <= set(facts.inside.namespaces)
    assert ("user" in facts.inside.namespaces) == (not facts.root)
    assert (facts.inside.filtered, facts.inside.powerless) == (True, True)
    assert facts.inside.user not in {0, os.geteuid()}
    assert facts.root == (os.geteuid() == 0)
    assert facts.version[0].isdecimal()
    assert (facts.counting is None) == (usable_cgroups() is None)


def test_parsing_an_inspection_from_inside() -> None:
    seen = parse_inspection(
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
    seen = parse_inspection(text, set())
    assert (seen.filtered, seen.powerless) == (filtered, powerless)


def test_settings_of_the_kernel() -> None:
    assert kernel_setting("kernel.ostype") == "Linux"
    assert kernel_setting("kernel.no_such_setting") is None


INSIDE = SandboxInspection(namespaces=("ipc", "pid"), user=61_000, filtered=True, powerless=True)
ROOT = HostFeatures(
    root=True,
    bubblewrap="/usr/bin/bwrap",
    version="0.9.0",
    inside=INSIDE,
    counting=2,
    stopping=True,
)
USER = replace(ROOT, root=False, counting=None, stopping=False, systemd=True)
SHUT = replace(USER, inside=None, refused="bubblewrap is not allowed to make namespaces here")


def named(facts: HostFeatures) -> dict[str, Layer]:
    return {layer.name: layer for layer in layers(facts)}


def force(facts: HostFeatures) -> list[tuple[str, str]]:
    return [(layer.standard, layer.strict) for layer in layers(facts)]


def commands(facts: HostFeatures) -> list[str]:
    return [remedy.command for remedy in remedies(facts)]


def test_a_machine_with_everything() -> None:
    assert (ROOT.standard, ROOT.strict) == (True, True)
    assert not any("no" in (layer.standard, layer.strict) for layer in layers(ROOT))
    assert named(ROOT)["memory, processes"].here == "counted by cgroups 2"
    assert named(ROOT)["bots that wait"].here == "stopped by cgroups"
    assert remedies(ROOT) == ()


def test_cgroups_that_are_not_ours() -> None:
    assert (USER.standard, USER.strict) == (True, False)
    assert {strict for _, strict in force(USER)} == {"no", "not used"}
    assert "no" not in {standard for standard, _ in force(USER)}
    assert named(USER)["memory, processes"].standard == "rlimits"
    assert commands(USER) == ["systemd-run --user --scope -p Delegate=yes arena ..."]
    assert commands(replace(USER, systemd=False)) == ["sudo arena ..."]
    boxed = replace(ROOT, counting=None, container=True)
    assert commands(boxed) == ["docker run --privileged ..."]


def test_no_bubblewrap() -> None:
    bare = HostFeatures(root=False, refused="the sandbox needs bubblewrap", counting=1)
    assert (bare.standard, bare.strict) == (False, False)
    assert set(force(bare)) == {("no", "no"), ("not used", "not used")}
    assert named(bare)["namespaces"].here == "the sandbox needs bubblewrap"
    assert commands(bare) == ["apt install bubblewrap"]


def test_a_kernel_that_keeps_users_from_namespaces() -> None:
    profile, setting = commands(replace(SHUT, settings={APPARMOR: "1"}))
    assert "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns," in profile
    assert profile.endswith("> /etc/apparmor.d/bwrap && apparmor_parser -r /etc/apparmor.d/bwrap")
    assert setting == "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    for name, value, message in (
        ("user.max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
        ("kernel.unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user.max_user_namespaces", "96343", "sudo arena ..."),
        (APPARMOR, "0", "sudo arena ..."),
    ):
        assert commands(replace(SHUT, settings={name: value})) == [message]
    assert commands(replace(SHUT, root=True, settings={APPARMOR: "1"})) == []


def test_a_locked_down_container() -> None:
    (opened,) = commands(replace(SHUT, root=True, container=True))
    for what in ("seccomp", "apparmor", "systempaths"):
        assert f"--security-opt {what}=unconfined" in opened


def test_a_filter_or_rights_that_do_not_hold_are_seen() -> None:
    for name, leaky in (
        ("system calls", replace(INSIDE, filtered=False)),
        ("rights", replace(INSIDE, powerless=False)),
    ):
        layer = named(replace(ROOT, inside=leaky))[name]
        assert (layer.here, layer.standard, layer.strict) == ("missing", "no", "no")
