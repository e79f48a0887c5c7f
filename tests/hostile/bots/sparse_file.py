"""Makes files that claim to be huge, by truncating, seeking and allocating."""

import os

import attacker

HUGE = 1 << 40


def truncate(file: int) -> None:
    os.ftruncate(file, HUGE)


def seek(file: int) -> None:
    os.pwrite(file, b"x", HUGE)


def allocate(file: int) -> None:
    os.posix_fallocate(file, 0, 4 * attacker.FILE)


def just_over(file: int) -> None:
    os.pwrite(file, b"xx", attacker.FILE - 1)


def attack() -> None:
    files = []
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/bot"):
        try:
            path = f"{folder}/stichkampf-huge"
            files.append((folder, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)))
            os.remove(path)
        except OSError as error:
            attacker.note(f"{folder} {attacker.named(error.errno or 0)}")
    try:
        files.append(("memfd", os.memfd_create("huge")))
    except OSError as error:
        attacker.note(f"memfd {attacker.named(error.errno or 0)}")
    for name, file in files:
        for way in (truncate, seek, allocate, just_over):
            try:
                way(file)
            except OSError as error:
                attacker.note(f"{way.__name__} in {name} {attacker.named(error.errno or 0)}")
            if os.fstat(file).st_size > attacker.FILE:
                attacker.breach(f"{way.__name__} in {name} makes {os.fstat(file).st_size} bytes")
            os.ftruncate(file, 0)
        os.close(file)


attacker.play(attack)
