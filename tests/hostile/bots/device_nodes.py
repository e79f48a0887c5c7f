"""Makes device files of its own: the disk, the memory and the console."""

import os
import stat

import attacker

NODES = {
    "disk": (stat.S_IFBLK, 8, 0),
    "virtual disk": (stat.S_IFBLK, 254, 0),
    "loop": (stat.S_IFBLK, 7, 0),
    "memory": (stat.S_IFCHR, 1, 1),
    "port": (stat.S_IFCHR, 1, 4),
    "log": (stat.S_IFCHR, 1, 11),
    "terminal": (stat.S_IFCHR, 5, 0),
    "console": (stat.S_IFCHR, 5, 1),
    "tun": (stat.S_IFCHR, 10, 200),
    "fuse": (stat.S_IFCHR, 10, 229),
    "kvm": (stat.S_IFCHR, 10, 232),
    "null": (stat.S_IFCHR, 1, 3),
}


def attack() -> None:
    for name, (kind, major, minor) in NODES.items():
        path = f"/tmp/{name}"
        attacker.attempt(name, os.mknod, path, kind | 0o666, os.makedev(major, minor))
        if os.path.exists(path):
            attacker.attempt(f"open {name}", os.open, path, os.O_RDONLY | os.O_NONBLOCK)


attacker.play(attack)
