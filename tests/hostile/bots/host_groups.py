"""Looks in the names of its control groups for what they tell about the referee."""

import attacker


def attack() -> None:
    with open("/proc/self/cgroup") as file:
        paths = {line.rstrip("\n").split(":", 2)[2] for line in file}
    attacker.judge(paths != {"/"}, f"groups {sorted(paths)}")


attacker.play(attack)
