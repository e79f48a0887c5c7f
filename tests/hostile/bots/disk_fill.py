"""Fills every folder it may write to, until the disk is full."""

import os

import attacker

KNOWN = """/ /tmp /var/tmp /dev/shm /dev /dev/mqueue /run /run/lock /run/user /var /var/cache
/var/log /var/spool /var/crash /home /root /opt /srv /mnt /media /bot /usr /usr/local /usr/share
/etc /proc /proc/self /sys /sys/fs/cgroup""".split()
ALLOWED = {"/tmp": attacker.TMP, "/dev/shm": attacker.SHM}


def attack() -> None:
    folders = dict.fromkeys(KNOWN)
    for folder, below, _ in os.walk("/"):
        if folder.count("/") > 4 or folder.startswith(("/proc", "/usr/share", "/usr/lib")):
            below.clear()
        elif os.access(folder, os.W_OK):
            folders[folder] = None
        if attacker.time_left() < 1:
            break
    left = attacker.MOST_DISK
    for folder in folders:
        size = attacker.fill(folder, left)
        left -= size
        allowed = next((most for inside, most in ALLOWED.items() if inside == folder), 0)
        if size:
            attacker.judge(size > allowed, f"{size} bytes in {folder}")
    attacker.note(f"{len(folders)} folders")


attacker.play(attack)
