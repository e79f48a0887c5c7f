"""What is said about machines that this one is not."""

from msgspec.structs import replace

from arena.bots.sandbox.layers import APPARMOR, Facts, Inside, Layer, layers, remedies

INSIDE = Inside(namespaces=("ipc", "pid"), user=61_000, filtered=True, powerless=True)
ROOT = Facts(
    root=True,
    bubblewrap="/usr/bin/bwrap",
    version="0.9.0",
    inside=INSIDE,
    counting=2,
    stopping=True,
)
USER = replace(ROOT, root=False, counting=None, stopping=False, systemd=True)
SHUT = replace(USER, inside=None, refused="bubblewrap is not allowed to make namespaces here")


def named(facts: Facts) -> dict[str, Layer]:
    return {layer.name: layer for layer in layers(facts)}


def force(facts: Facts) -> list[tuple[str, str]]:
    return [(layer.standard, layer.strict) for layer in layers(facts)]


def commands(facts: Facts) -> list[str]:
    return [remedy.command for remedy in remedies(facts)]


def test_everything_is_there() -> None:
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
    bare = Facts(root=False, refused="the sandbox needs bubblewrap", counting=1)
    assert (bare.standard, bare.strict) == (False, False)
    assert set(force(bare)) == {("no", "no"), ("not used", "not used")}
    assert named(bare)["namespaces"].here == "the sandbox needs bubblewrap"
    assert commands(bare) == ["apt install bubblewrap"]


def test_a_kernel_that_keeps_users_from_namespaces() -> None:
    profile, setting = commands(replace(SHUT, settings={APPARMOR: "1"}))
    assert "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns," in profile
    assert profile.endswith("> /etc/apparmor.d/bwrap && apparmor_parser -r /etc/apparmor.d/bwrap")
    assert setting == "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    for name, value, said in (
        ("user.max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
        ("kernel.unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user.max_user_namespaces", "96343", "sudo arena ..."),
        (APPARMOR, "0", "sudo arena ..."),
    ):
        assert commands(replace(SHUT, settings={name: value})) == [said]
    assert commands(replace(SHUT, root=True, settings={APPARMOR: "1"})) == []


def test_a_container_that_is_shut() -> None:
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
