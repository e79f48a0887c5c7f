"""Uses calls that hardly anybody needs, since nobody has looked for their bugs."""

import ctypes
import errno
import os

import attacker

CALLS = {
    "fanotify_init": (0x200, 0),
    "memfd_secret": (0,),
    "mbind": (0, 0, 0, None, 0, 0),
    "set_mempolicy": (0, None, 0),
    "migrate_pages": (0, 0, None, None),
    "move_pages": (0, 0, None, None, None, 0),
    "kcmp": (os.getpid(), os.getpid(), 0, 0, 0),
    "lookup_dcookie": (0, None, 0),
}


def attack() -> None:
    for name, arguments in CALLS.items():
        result = attacker.call(name, *arguments)
        attacker.denied(name, result)
        if result > 2:
            os.close(result)
    buffer = ctypes.create_string_buffer(64)
    result = attacker.call("prctl", 35, 10, ctypes.addressof(buffer), 0, 0)  # PR_SET_MM_EXE_FILE
    attacker.judge(result >= 0, f"another name {errno.errorcode.get(-result)}")


attacker.play(attack)
