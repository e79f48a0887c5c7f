"""Looks around for folders that are none of its business: other people's homes, logs, devices."""

import os
import sys

import attacker

BELONGS = "bin sbin lib lib32 lib64 libx32 usr etc proc dev tmp bot".split()
IN_ETC = {
    "shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssh", "machine-id",
    "hostname", "fstab", "crypttab", "docker", "cron.d", "crontab", "systemd", "krb5.keytab",
}  # fmt: skip
PYTHON = [os.path.realpath(path) + "/" for path in (sys.prefix, sys.base_prefix)]


def beyond(folder: str) -> list[str]:
    """What a folder holds beside the way to the Python that runs this."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        attacker.note(f"{folder} {attacker.named(error.errno or 0)}")
        return []
    paths = [os.path.join(folder, name) for name in names]
    return [path for path in paths if not any(way.startswith(path + "/") for way in PYTHON)]


def attack() -> None:
    for path in beyond("/"):
        if path[1:] in BELONGS:
            continue
        inside = beyond(path) if os.path.isdir(path) else [path]
        attacker.judge(bool(inside), f"sees {path}: {inside[:3]}")
    found = sorted(IN_ETC & set(os.listdir("/etc"))) if os.path.isdir("/etc") else []
    attacker.judge(bool(found), f"in /etc: {found}")
    for path in ("/root", "/home", "/var", "/run", "/sys", "/boot", "/mnt", "/srv", "/opt"):
        inside = beyond(path)
        attacker.judge(bool(inside), f"{path} holds {inside[:3]}")


attacker.play(attack)
