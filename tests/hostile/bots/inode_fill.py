"""Makes empty files without end, which take no room but memory of the kernel."""

import os

import attacker


def attack() -> None:
    count = 0
    for folder in ("/tmp", "/dev/shm"):
        try:
            os.mkdir(f"{folder}/many")
            place = os.open(f"{folder}/many", os.O_RDONLY)
            while count < attacker.MOST_INODES and (count % 500 or attacker.time_left() > 0):
                os.symlink("x", str(count), dir_fd=place)
                count += 1
        except OSError as error:
            attacker.note(f"{folder} {attacker.named(error.errno or 0)}")
    attacker.judge(attacker.breach_lasts(lambda: count > attacker.INODES), f"{count} files")


attacker.play(attack)
