"""Turns the knobs that the kernel offers as files."""

import os

import attacker

KNOBS = """/proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe
/proc/sys/kernel/hostname /proc/sys/kernel/pid_max /proc/sys/kernel/printk
/proc/sys/vm/drop_caches /proc/sys/vm/overcommit_memory /proc/sys/vm/panic_on_oom
/proc/sys/fs/file-max /proc/sys/fs/binfmt_misc/register /proc/sys/fs/mqueue/queues_max
/proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces /proc/irq/default_smp_affinity
/proc/mtrr /proc/acpi/wakeup /proc/bus/pci /proc/scsi/scsi /sys/power/state
/sys/kernel/uevent_helper /sys/fs/cgroup/release_agent
/sys/kernel/mm/transparent_hugepage/enabled""".split()
OPEN_TO_ALL = {
    "/proc/self/oom_score_adj": b"-1000",
    "/proc/self/uid_map": b"0 0 1",
    "/proc/self/gid_map": b"0 0 1",
    "/proc/self/setgroups": b"allow",
    "/proc/1/timerslack_ns": b"0",
    "/proc/sys/kernel/ns_last_pid": b"100",
    "/proc/self/attr/current": b"unconfined",
    "/proc/self/attr/exec": b"exec unconfined",
}


def turn(path: str, value: bytes) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, value)
    finally:
        os.close(file)


def attack() -> None:
    for path in KNOBS:  # to open them is enough, and harms nobody
        attacker.attempt(path, os.open, path, os.O_WRONLY)
    for path, value in OPEN_TO_ALL.items():
        attacker.attempt(path, turn, path, value)


attacker.play(attack)
