"""Searches everything it can reach for secrets, results, other bots and the referee itself."""

import importlib.util
import os
import sys

import attacker


def public() -> set[str]:
    """The referee's program, which anybody may read, with the bots that come with it."""
    found = importlib.util.find_spec("arena")
    if found is None or found.origin is None:
        return set()
    package = os.path.dirname(found.origin)
    beside = [os.path.join(os.path.dirname(package), name) for name in ("bots", "protocol")]
    return {package, *beside}  # a wheel has both inside the package


WANTED = {
    "stichkampf-test-secret", "run.db", "run.db-wal", "id_rsa", "id_ed25519", "authorized_keys",
    ".bash_history", ".netrc",
}  # fmt: skip
OTHERS = {"bot.yaml", "pyproject.toml", "misbehaving", "hostile", ".git", "runs"}
"""Signs of other bots and of whoever runs them, which are nowhere but in /usr."""
OWN = {"/bot", "/proc", "/sys", "/usr", sys.prefix, sys.base_prefix, *public()}


def search(start: str, wanted: set[str], skipped: set[str], until: float) -> int:
    seen = 0
    for folder, below, names in os.walk(start):
        below[:] = [name for name in below if os.path.join(folder, name) not in skipped]
        seen += len(names)
        for name in wanted.intersection(names + below):
            attacker.breach(f"found {os.path.join(folder, name)}")
        if attacker.time_left() < until:
            break
    return seen


def attack() -> None:
    seen = search("/", WANTED | OTHERS, OWN, 0.9)
    for start in ("/bot/..", "/bot/../..", "/proc/self/cwd/..", "/proc/self/root"):
        try:
            if os.path.samefile(start, "/"):
                continue
        except OSError:
            continue
        seen += search(start, WANTED | OTHERS, OWN, 0.8)
    seen += search("/usr", WANTED, set(), 0.0)
    attacker.note(f"{seen} files")


attacker.play(attack)
