"""Breaks out of its root folder by changing it, with one foot outside."""

import os

import attacker


def attack() -> None:
    os.makedirs("/tmp/root", exist_ok=True)
    outside = os.open("/", os.O_RDONLY)
    for path in ("/tmp/root", ".", "/"):
        result = attacker.in_a_child(attacker.call, "chroot", path.encode())
        attacker.refused(f"chroot {path}", result)
    attacker.refused("pivot_root", attacker.call("pivot_root", b".", b"."))
    os.fchdir(outside)
    try:
        for _ in range(50):
            os.chdir("..")
        wrong = not os.path.samefile(".", "/")
        attacker.judge(wrong, "fifty folders up it is still inside")
    finally:
        os.chdir("/bot")
    os.close(outside)
    for path in ("/proc/self/root/..", "/proc/1/root/..", "/proc/self/cwd/../../..", "/../../.."):
        try:
            attacker.judge(not os.path.samefile(path, "/"), f"{path} is /")
        except OSError as error:
            attacker.note(f"{path} {attacker.named(error.errno or 0)}")


attacker.play(attack)
