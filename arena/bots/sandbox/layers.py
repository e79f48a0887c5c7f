"""The layers of the sandbox: what a machine offers, what is in force, and how to get the rest."""

from msgspec import Struct

YES, NO, UNUSED, MISSING = "yes", "no", "not used", "missing"

APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
SETTINGS = {
    APPARMOR: ("1", "0"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "15000"),
}
"""Settings of the kernel: values that keep users from making namespaces, and that let them."""

PROFILE = (
    "abi <abi/4.0>,",
    "include <tunables/global>",
    "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, include if exists <local/bwrap> }",
)
"""Lets bubblewrap make user namespaces where AppArmor keeps programs from it."""

OPENED = " ".join(
    f"--security-opt {what}=unconfined" for what in ("seccomp", "apparmor", "systempaths")
)
"""What a container has to be started with so that bubblewrap works inside it."""


class Inside(Struct, frozen=True, kw_only=True):
    """What a program saw that was run inside walls."""

    namespaces: tuple[str, ...]
    """Those it does not share with us."""
    user: int
    filtered: bool
    """Whether its system calls were."""
    powerless: bool
    """Whether it had no rights and could get none."""


class Facts(Struct, frozen=True, kw_only=True):
    """What there is on a machine that walls depend on."""

    root: bool
    bubblewrap: str | None = None
    """Where it is."""
    version: str = ""
    refused: str = ""
    """Why no program can be run inside walls."""
    inside: Inside | None = None
    counting: int | None = None
    """The version of the cgroups that count memory and processes."""
    stopping: bool = False
    """Whether cgroups stop a bot that waits."""
    landlock: int = 0
    """Its version; 0 if the kernel has none."""
    container: bool = False
    systemd: bool = False
    settings: dict[str, str] = {}
    """Settings of the kernel that may keep users from making namespaces, if it has them."""

    @property
    def standard(self) -> bool:
        """Whether that level can be had."""
        return self.inside is not None

    @property
    def strict(self) -> bool:
        """Whether that level can be had."""
        return self.standard and self.counting is not None


class Layer(Struct, frozen=True):
    """One of the things that walls are made of."""

    name: str
    here: str
    """What this machine offers."""
    standard: str
    """What of it is in force at this level."""
    strict: str


class Remedy(Struct, frozen=True):
    """How to get what is missing."""

    what: str
    command: str


def layers(facts: Facts) -> tuple[Layer, ...]:
    """All layers."""
    inside = facts.inside
    powerless, filtered = (inside.powerless, inside.filtered) if inside else (False, False)
    spaces = ", ".join(inside.namespaces) if inside else facts.refused
    whole = (
        ("bubblewrap", f"{facts.version}, {facts.bubblewrap}" if facts.bubblewrap else "", True),
        ("namespaces", spaces, True),
        ("own user", whose(facts) if inside else "", True),
        ("rights", "none, and none to be had" if powerless else "", powerless),
        ("system calls", "filtered by seccomp" if filtered else "", filtered),
    )
    found = [
        Layer(
            name,
            here or MISSING,
            YES if facts.standard and held else NO,
            YES if facts.strict and held else NO,
        )
        for name, here, held in whole
    ]
    return (
        *found,
        Layer(
            "memory, processes",
            f"counted by cgroups {facts.counting}" if facts.counting else "rlimits only",
            "counted" if facts.strict else "rlimits" if facts.standard else NO,
            "counted" if facts.strict else NO,
        ),
        Layer(
            "bots that wait",
            f"stopped by {'cgroups' if facts.stopping else 'signals'}",
            "if asked for" if facts.standard else NO,
            "stopped" if facts.strict else NO,
        ),
        Layer(
            "Landlock",
            f"version {facts.landlock}" if facts.landlock else MISSING,
            UNUSED,
            UNUSED,
        ),
    )


def whose(facts: Facts) -> str:
    """Who a bot is."""
    return "one that nobody is" if facts.root else "nobody, in a namespace of users"


def remedies(facts: Facts) -> tuple[Remedy, ...]:
    """What to do about what is missing, the first thing first."""
    if not facts.bubblewrap:
        return (Remedy("the walls, as root", "apt install bubblewrap"),)
    if not facts.standard:
        return tuple(openings(facts))
    if facts.strict:
        return ()
    if facts.root and facts.container:
        return (Remedy("counted memory, in a container", "docker run --privileged ..."),)
    if facts.systemd:
        command = "systemd-run --user --scope -p Delegate=yes arena ..."
        return (Remedy("counted memory and processes", command),)
    return (Remedy("counted memory and processes", "sudo arena ..."),)


def openings(facts: Facts) -> list[Remedy]:
    """How to let bubblewrap make namespaces."""
    found = []
    if facts.container:
        found.append(Remedy("namespaces in a container", f"docker run {OPENED} ..."))
    if facts.root:
        return found
    if facts.settings.get(APPARMOR) == SETTINGS[APPARMOR][0]:
        lines = " ".join(f"'{line}'" for line in PROFILE)
        file = "/etc/apparmor.d/bwrap"
        command = f"printf '%s\\n' {lines} > {file} && apparmor_parser -r {file}"
        found.append(Remedy("namespaces for bubblewrap only, as root", command))
    found += [
        Remedy("namespaces for all programs, as root", f"sysctl -w {name}={allowing}")
        for name, (forbidding, allowing) in SETTINGS.items()
        if facts.settings.get(name) == forbidding
    ]
    return found or [Remedy("namespaces", "sudo arena ...")]
