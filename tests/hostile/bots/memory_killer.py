"""Makes itself the last whom the kernel would kill for lack of memory."""

import os

import attacker


def put(file: str, value: bytes) -> None:
    number = os.open(f"/proc/self/{file}", os.O_WRONLY)
    try:
        os.write(number, value)
    finally:
        os.close(number)


def attack() -> None:
    for value in (b"999", b"0", b"-1000"):
        attacker.attempt(f"oom_score_adj {value.decode()}", put, "oom_score_adj", value)
    attacker.attempt("oom_adj", put, "oom_adj", b"0")
    with open("/proc/self/oom_score_adj") as file:
        stays = int(file.read())
    attacker.judge(stays != 1000, f"stays {stays}")


attacker.play(attack)
