"""Mounts what it wants and takes away what is in its way, by the old calls and the new ones."""

import attacker

MS_REMOUNT, MS_BIND, MS_REC, MS_MOVE, MS_PRIVATE = 32, 4096, 16384, 8192, 1 << 18
MNT_DETACH = 2
AT_FDCWD = -100
OPEN_TREE_CLONE = 1
MOUNTS = {
    "tmpfs": (b"none", b"/tmp", b"tmpfs", 0, None),
    "proc": (b"proc", b"/tmp", b"proc", 0, None),
    "sysfs": (b"sysfs", b"/tmp", b"sysfs", 0, None),
    "cgroup": (b"cgroup", b"/tmp", b"cgroup2", 0, None),
    "devpts": (b"devpts", b"/tmp", b"devpts", 0, None),
    "disk": (b"/dev/vda", b"/tmp", b"ext4", 0, None),
    "overlay": (b"none", b"/tmp", b"overlay", 0, b"lowerdir=/usr,upperdir=/tmp,workdir=/tmp"),
    "bind": (b"/proc/1/root", b"/tmp", None, MS_BIND | MS_REC, None),
    "move": (b"/bot", b"/tmp", None, MS_MOVE, None),
    "private": (None, b"/", None, MS_REC | MS_PRIVATE, None),
    "writable /": (None, b"/", None, MS_REMOUNT | MS_BIND, None),
    "writable /bot": (None, b"/bot", None, MS_REMOUNT | MS_BIND, None),
    "writable /usr": (None, b"/usr", None, MS_REMOUNT | MS_BIND, None),
    "a larger /tmp": (None, b"/tmp", None, MS_REMOUNT, b"size=1g"),
}
NEWER = {
    "fsopen": (b"tmpfs", 0),
    "open_tree": (AT_FDCWD, b"/", OPEN_TREE_CLONE),
    "fspick": (AT_FDCWD, b"/tmp", 0),
    "move_mount": (AT_FDCWD, b"/bot", AT_FDCWD, b"/tmp", 0),
    "mount_setattr": (AT_FDCWD, b"/bot", 0, bytes(32), 32),
}


def attack() -> None:
    for name, arguments in MOUNTS.items():
        attacker.refused(name, attacker.call("mount", *arguments))
    for path in (b"/bot", b"/tmp", b"/usr", b"/dev/shm", b"/"):
        attacker.refused(f"umount {path.decode()}", attacker.call("umount2", path, MNT_DETACH))
    attacker.refused("pivot_root", attacker.call("pivot_root", b"/tmp", b"/tmp"))
    for name, words in NEWER.items():
        attacker.refused(name, attacker.call(name, *words))


attacker.play(attack)
