"""Connects to sockets in the file system: those of the host's programs, and any other it finds."""

import os
import socket
import stat

import attacker

KNOWN = """/tmp/stichkampf-test.sock /var/tmp/stichkampf-test.sock /run/docker.sock
/var/run/docker.sock /run/dbus/system_bus_socket /run/systemd/notify /run/systemd/private
/run/systemd/journal/socket /run/systemd/journal/dev-log /dev/log /run/nscd/socket
/run/containerd/containerd.sock /tmp/.X11-unix/X0 /run/snapd.socket
/proc/1/root/tmp/stichkampf-test.sock /bot/../tmp/stichkampf-test.sock""".split()
PLACES = "/tmp /var /run /home /root /dev /opt /srv /mnt /bot".split()


def sockets() -> list[str]:
    found = []
    for place in PLACES:
        for folder, _, names in os.walk(place):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    if stat.S_ISSOCK(os.lstat(path).st_mode):
                        found.append(path)
                except OSError:
                    continue
            if attacker.time_left() < 0.8:
                return found
    return found


def attack() -> None:
    for path in dict.fromkeys(KNOWN + sockets()):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(socket.AF_UNIX, kind) as knocker:
                    knocker.settimeout(0.1)
                    knocker.connect(path)
                attacker.breach(f"{path} {kind.name}")
            except OSError as error:
                attacker.note(f"{path} {attacker.named(error.errno or 0)}")


attacker.play(attack)
