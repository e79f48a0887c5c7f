"""Opens files by their number on the disk, past all folders that it cannot see."""

import ctypes
import os

import attacker

AT_FDCWD = -100


class Handle(ctypes.Structure):
    """What the kernel calls a file by."""

    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


def attack() -> None:
    mount = ctypes.c_int()
    for path in (b"/usr", b"/bot", b"/tmp"):
        handle = Handle(size=128)
        place = os.open(path, os.O_RDONLY)
        found = attacker.call("name_to_handle_at", AT_FDCWD, path, handle, mount, 0)
        attacker.note(f"handle of {path.decode()} {attacker.named(-found)}")
        if found < 0:
            handle = Handle(size=8, kind=1)
        opened = attacker.call("open_by_handle_at", place, handle, os.O_RDONLY)
        attacker.refused(f"open {path.decode()}", opened)
        # The root folder of most disks is file 2.
        handle = Handle(size=8, kind=1)
        handle.data[0] = 2
        opened = attacker.call("open_by_handle_at", place, handle, os.O_RDONLY)
        attacker.refused(f"open the root of {path.decode()}", opened)
        os.close(place)


attacker.play(attack)
