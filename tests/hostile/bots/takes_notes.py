"""Leaves notes for its next process wherever something may outlast it, and looks for older ones."""

import ctypes
import os
import secrets

import attacker

PLACES = "/tmp /var/tmp /dev/shm /dev/mqueue /bot /run /run/lock /run/user /home /usr/share".split()
KEY = 0x4E4F5445
QUEUE = b"stichkampf-note"
OWN = secrets.token_bytes(8)
IPC_CREAT = 0o1000
SEARCH = 10
SET_RW_HINT, SET_FILE_RW_HINT = 1036, 1038
RWF_NOWAIT = 8
PAGE_ORDERS = {"MADV_PAGEOUT": 21, "MADV_POPULATE_READ": 22, "MADV_COLLAPSE": 25}


def in_files() -> None:
    for place in PLACES:
        path = f"{place}/stichkampf-note"
        if os.path.exists(path):
            attacker.breach(f"a note in {path}")
        try:
            with open(path, "xb") as file:
                file.write(OWN)
        except OSError:
            continue


def in_memory() -> None:
    segment = attacker.call("shmget", KEY, 4096, IPC_CREAT | 0o600)
    if segment < 0:
        return
    start = attacker.call("shmat", segment, None, 0)
    if not -4096 < start < 0:
        found = ctypes.string_at(start, 8)
        attacker.judge(any(found), f"a note in memory {found.hex()}")
        ctypes.memmove(start, OWN, 8)


def in_queues() -> None:
    for name in ("msgget", "semget"):
        extra = (1,) if name == "semget" else ()
        attacker.refused(f"{name}: an older one", attacker.call(name, KEY, *extra, 0))
        attacker.call(name, KEY, *extra, IPC_CREAT | 0o600)
    result = attacker.call("mq_open", QUEUE, os.O_RDONLY, 0, None)
    attacker.refused("mq_open: an older one", result)
    attacker.call("mq_open", QUEUE, os.O_RDWR | os.O_CREAT, 0o600, None)


def in_keyrings() -> None:
    for ring in (-3, -4, -5):
        result = attacker.call("keyctl", SEARCH, ring, b"user", QUEUE, 0)
        attacker.refused(f"keyring {ring}: an older one", result)
        attacker.call("add_key", b"user", QUEUE, OWN, 8, ring)


def in_attributes() -> None:
    for path in ("/bot/takes_notes.py", "/usr/bin/env"):
        for name in ("user.note", "trusted.note"):
            attacker.attempt(f"{name} of {path}", os.getxattr, path, name)
            try:
                os.setxattr(path, name, OWN)
            except OSError:
                continue


def in_times() -> None:
    for name in ("null", "zero", "full", "random", "urandom"):
        attacker.attempt(f"times of /dev/{name}", os.utime, f"/dev/{name}")


def in_hints() -> None:
    hint = ctypes.c_uint64(3)
    for path in ("/bot/takes_notes.py", "/usr/bin/env"):
        file = os.open(path, os.O_RDONLY)
        for command in (SET_RW_HINT, SET_FILE_RW_HINT):
            attacker.refused(
                f"hint {command} of {path}", attacker.call("fcntl", file, command, hint)
            )


def in_pages() -> None:
    """Pages that were read are in memory for whoever comes later, if that can be seen."""
    for path in ("/bot/attacker.py", "/usr/bin/env"):
        file = os.open(path, os.O_RDONLY)
        size = os.fstat(file).st_size
        block = ctypes.create_string_buffer(16)
        view = (ctypes.c_void_p * 2)(ctypes.addressof(block), 1)
        result = attacker.call("preadv2", file, view, 1, 0, 0, RWF_NOWAIT)
        attacker.refused(f"read without waiting of {path}", result)
        span, counts = (ctypes.c_uint64 * 2)(0, 4096), (ctypes.c_uint64 * 5)()
        result = attacker.call("cachestat", file, span, counts, 0)
        attacker.refused(f"cachestat of {path}", result)
        mapped = attacker.call("mmap", None, size, 1, 2, file, 0)
        pages = ctypes.create_string_buffer(size // 4096 + 1)
        attacker.refused(f"mincore of {path}", attacker.call("mincore", mapped, size, pages))
        for name, advice in PAGE_ORDERS.items():
            result = attacker.call("madvise", mapped, 4096, advice)
            attacker.refused(f"{name} of {path}", result)


def attack() -> None:
    for way in (in_files, in_memory, in_queues, in_keyrings, in_attributes, in_times, in_hints):
        way()
    in_pages()


attacker.play(attack, "before ready")
