"""Reads the kernel's memory, its addresses and its books."""

import os
import re
from pathlib import Path

import attacker

FORBIDDEN = """/proc/kcore /proc/kmsg /proc/kpagecount /proc/kpageflags /proc/kpagecgroup
/proc/vmcore /proc/timer_list /proc/slabinfo /proc/vmallocinfo /proc/pagetypeinfo /proc/sched_debug
/dev/mem /dev/kmem /dev/port /dev/kmsg /dev/nvram /sys/kernel/debug /sys/kernel/tracing/trace
/sys/firmware/dmi/tables/DMI /sys/kernel/notes""".split()
ZEROED = ["/proc/kallsyms", "/proc/iomem", "/proc/modules", "/proc/ioports"]
ADDRESS = re.compile(r"^ *([0-9a-f]{4,16})[- ]|0x([0-9a-f]{16})", re.MULTILINE)


def attack() -> None:
    for path in FORBIDDEN:
        attacker.attempt(path, os.open, path, os.O_RDONLY | os.O_NONBLOCK)
    for path in ZEROED:
        try:
            with Path(path).open() as file:
                text = file.read(4096)
        except OSError as error:
            attacker.note(f"{path} {attacker.named(error.errno or 0)}")
            continue
        known = [found for found in ADDRESS.findall(text) if int("".join(found), 16)]
        attacker.judge(bool(known), f"{path} has {len(known)} addresses")


attacker.play(attack)
