"""Looks for what its environment gives away, its own and that of others."""

import os

import attacker

KNOWN = set(
    "PATH HOME USER LOGNAME TMPDIR TZ LANG LC_ALL LC_CTYPE PWD OLDPWD SHLVL _ STICHKAMPF_REFEREE "
    "PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED".split()
)


def attack() -> None:
    unknown = set(os.environ) - KNOWN
    attacker.judge(bool(unknown), f"variables {sorted(unknown)}")
    attacker.judge(os.environ.get("HOME") != "/tmp", f"HOME is {os.environ.get('HOME')}")
    for name, value in os.environ.items():
        paths = [path for path in value.split(":") if path.startswith("/")]
        gone = [path for path in paths if not os.path.exists(path)]
        # A path that is not there in the cage is one of the host's; /usr may have folders or not.
        hosts = [path for path in gone if not path.startswith(("/usr/", "/bin", "/sbin"))]
        attacker.judge(bool(hosts), f"{name} has {len(hosts)} paths of the host")


attacker.play(attack)
