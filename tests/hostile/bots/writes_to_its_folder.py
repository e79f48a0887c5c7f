"""Changes its own program for the games to come, in the folder that others may run it from."""

import mmap
import os

import attacker

PROGRAM = "/bot/writes_to_its_folder.py"


def map_for_writing() -> None:
    file = os.open(PROGRAM, os.O_RDONLY)
    mmap.mmap(file, 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE)


def make_folder() -> None:
    os.mkdir("/bot/stichkampf-folder")
    os.rmdir("/bot/stichkampf-folder")


def keep_times() -> None:
    found = os.stat(PROGRAM)
    os.utime(PROGRAM, ns=(found.st_atime_ns, found.st_mtime_ns))


def nameless() -> None:
    os.close(os.open("/bot", os.O_RDWR | os.O_TMPFILE))


def attack() -> None:
    for path in (PROGRAM, "/proc/self/cwd/writes_to_its_folder.py", "/proc/1/root" + PROGRAM):
        attacker.attempt(f"write {path}", os.open, path, os.O_RDWR)
    attacker.attempt("a file", attacker.make_file, "/bot")
    attacker.attempt("a folder", make_folder)
    # It sets what is there already, which takes the same right and changes nothing.
    attacker.attempt("mode", os.chmod, PROGRAM, os.stat(PROGRAM).st_mode & 0o7777)
    attacker.attempt("name", os.rename, PROGRAM, PROGRAM)
    attacker.attempt("size", os.truncate, PROGRAM, os.path.getsize(PROGRAM))
    attacker.attempt("times", keep_times)
    attacker.attempt("mapped", map_for_writing)
    attacker.attempt("nameless", nameless)


attacker.play(attack)
