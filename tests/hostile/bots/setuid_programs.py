"""Starts programs that make whoever starts them root: su, mount, passwd and all others it finds."""

import os
import stat
import subprocess
import time
from pathlib import Path

import attacker

PLACES = "/usr/bin /usr/sbin /usr/local/bin /usr/lib/openssh /usr/lib/dbus-1.0 /usr/libexec".split()
COMMANDS = (
    "su -c id",
    "sudo -n id",
    "pkexec --disable-internal-agent id",
    "mount -t tmpfs none /tmp",
    "umount /tmp",
    "newuidmap 2 0 0 1",
    "newgidmap 2 0 0 1",
    "passwd -S root",
    "fusermount3 -u /tmp",
)


def privileged() -> list[str]:
    found = []
    for place in PLACES:
        for name in os.listdir(place) if os.path.isdir(place) else []:
            path = os.path.join(place, name)
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                found.append(path)
    return found


def becomes_root(path: str) -> bool:
    """Whether a program that waits for its input is root's while it does."""
    with subprocess.Popen(
        [path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(0.02)
        try:
            users = Path(f"/proc/{process.pid}/status").read_text().split("Uid:")[1].split()[:4]
        except (OSError, IndexError):
            users = []
        process.kill()
    return "0" in users


def attack() -> None:
    for path in privileged():
        if attacker.time_left() < 0.7:
            break
        try:
            attacker.judge(becomes_root(path), path)
        except OSError as error:
            attacker.note(f"{path} {attacker.named(error.errno or 0)}")
    for command in COMMANDS:
        try:
            done = subprocess.run(
                command.split(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=0.3,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            attacker.note(f"{command.split()[0]} {type(error).__name__}")
            continue
        wrong = done.returncode == 0 or b"uid=0" in done.stdout
        attacker.judge(wrong, f"{command}: {done.returncode}")


attacker.play(attack)
