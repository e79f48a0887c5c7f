"""What is left of covert channels between two bots: bits a second that one can tell another.

Two programs, each inside a sandbox of its own, share nothing but read-only files of the system and
the kernel. A futex on a page of such a file is the same one for both: a thread that waits there is
woken by the other program. `sysinfo` tells how many threads there are on the machine.
"""

import os
import secrets
import tempfile
import time
from pathlib import Path

from rich.console import Console

from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.bots.sandbox.system_image import SystemLocation
from tests.bench.sheet import sheet

SECONDS = 2.0
TALKING = """
import ctypes, mmap, os, struct, sys, threading, time
FUTEX, WAIT, WAKE = {"x86_64": 202, "aarch64": 98}[os.uname().machine], 0, 1
libc = ctypes.CDLL(None)
file = os.open("/usr/bin/env", os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, ctypes.c_long(0))
places = [page + 512, page + 1024]
values = [ctypes.c_uint32.from_address(place).value for place in places]
heard = []

def futex(place, order, value):
    return libc.syscall(FUTEX, ctypes.c_void_p(place), order, ctypes.c_uint32(value), None, None, 0)

def listen(bit):
    while True:
        if futex(places[bit], WAIT, values[bit]) == 0:
            heard.append(bit)

def tell(bits, until):
    for sent, bit in enumerate(bits):
        while futex(places[bit], WAKE, 1) != 1:
            if time.monotonic() > until:
                return sent
    return len(bits)

def threads():
    place = ctypes.create_string_buffer(256)
    libc.sysinfo(place)
    return struct.unpack_from("H", place, 80)[0]

def crowd(bits, until):
    "One bit in each moment: thirty threads, or none."
    first = int(time.monotonic() / MOMENT) + 2
    for number, bit in enumerate(bits):
        now = (first + number) * MOMENT
        if now > until:
            return number
        time.sleep(max(0, now - time.monotonic()))
        if bit:
            end = threading.Event()
            held = [threading.Thread(target=end.wait) for _ in range(30)]
            for each in held:
                each.start()
            time.sleep(max(0, now + 0.8 * MOMENT - time.monotonic()))
            end.set()
            for each in held:
                each.join()

def count():
    while True:
        now = (int(time.monotonic() / MOMENT) + 1) * MOMENT
        time.sleep(max(0, now + 0.6 * MOMENT - time.monotonic()))
        heard.append(threads())

print("ready", flush=True)
role, way, text = sys.stdin.readline().split()
if role == "tell":
    until = time.monotonic() + SECONDS
    bits = [int(bit) for bit in text]
    print((tell if way == "futex" else crowd)(bits, until), flush=True)
elif way == "futex":
    for bit in (0, 1):
        threading.Thread(target=listen, args=(bit,), daemon=True).start()
    sys.stdin.readline()
    print("".join(map(str, heard)), flush=True)
else:
    threading.Thread(target=count, daemon=True).start()
    sys.stdin.readline()
    middle = (min(heard) + max(heard)) / 2
    print("".join(str(int(each > middle)) for each in heard), flush=True)
sys.stdin.read()
"""
LONG = 200_000
"""More bits than can be told."""

LATE = 60
"""Moments that a listener may have begun earlier."""


def read_line(process: BotProcess) -> str:
    """The next line that a program prints."""
    text = b""
    while not text.endswith(b"\n"):
        try:
            text += os.read(process.stdout, 1 << 20)
        except BlockingIOError:
            time.sleep(0.001)
    return text.decode().strip()


def told(bot: Bot, sandbox: Sandbox, way: str) -> tuple[int, int]:
    """How many bits one program told another, and how many of them came as they were."""
    bits = "".join(secrets.choice("01") for _ in range(LONG))
    with Launcher(sandbox) as launcher:
        speaker, listener = BotProcess(bot, launcher), BotProcess(bot, launcher)
        for process in (speaker, listener):
            read_line(process)
        listener.write(f"listen {way} x\n".encode())
        time.sleep(0.2)
        speaker.write(f"tell {way} {bits}\n".encode())
        while speaker.unsent:
            speaker.write(b"")
        sent = int(read_line(speaker))
        time.sleep(0.2)
        listener.write(b"\n")
        heard = read_line(listener)
        for process in (speaker, listener):
            process.end(0)
            process.close()
    return sent, max(matches(bits[:sent], heard[late:]) for late in range(LATE))


def matches(sent: str, heard: str) -> int:
    """How many bits came as they were."""
    return sum(one == other for one, other in zip(sent, heard, strict=False))


def main() -> None:
    """Measure."""
    table = sheet("channels left", "bits a second", "of which right")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        script = Path(folder) / "talks.py"
        script.write_text(TALKING.replace("SECONDS", str(SECONDS)).replace("MOMENT", "0.02"))
        script.chmod(0o644)
        for level in (SandboxLevel.STANDARD, SandboxLevel.STRICT):
            sandbox = select_sandbox(level, ResourceLimits(), system=SystemLocation.MEMORY)
            bot = load_bot(script, BuildSettings(sandbox))
            for way in ("futex", "sysinfo"):
                sent, right = told(bot, sandbox, way)
                share = f"{right / sent:.0%}" if sent else "-"
                table.add_row(f"{way}, {level}", f"{sent / SECONDS:,.0f}", share)
    Console().print(table)
