"""Reads the files in which machines keep their secrets."""

import os
import sys

import attacker

HOMES = ["/root", "/home/*", "~", "/proc/1/root/root", "/bot/..", "/bot/../.."]
SECRETS = """/etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_ed25519_key
/etc/ssl/private /etc/machine-id /var/lib/dbus/machine-id /var/log/auth.log /var/log/syslog
/run/secrets /var/run/secrets/kubernetes.io/serviceaccount/token /etc/kubernetes/admin.conf
/proc/1/root/etc/shadow /proc/self/root/etc/shadow /proc/self/cwd/../etc/shadow
/dev/sda /dev/vda /dev/nvme0n1 /dev/dm-0 /swapfile""".split()
AT_HOME = """.ssh/id_rsa .ssh/id_ed25519 .ssh/authorized_keys .bash_history .netrc .aws/credentials
.config .cache .gnupg .gitconfig .docker/config.json stichkampf-test-secret""".split()
PLACES = "/tmp /var/tmp /home /root / /dev/shm /run /opt /srv /mnt /bot/.. /usr /usr/local".split()


def homes() -> list[str]:
    found = []
    for home in HOMES:
        if home.endswith("*"):
            parent = home[:-2]
            names = os.listdir(parent) if os.path.isdir(parent) else []
            found += [os.path.join(parent, name) for name in names]
        else:
            found.append(os.path.expanduser(home))
    return found


def attack() -> None:
    paths = SECRETS + [os.path.join(home, name) for home in homes() for name in AT_HOME]
    paths += [os.path.join(place, "stichkampf-test-secret") for place in PLACES]
    for path in dict.fromkeys(paths):
        attacker.attempt(path, os.open, path, os.O_RDONLY | os.O_NONBLOCK)
    attacker.judge(os.getcwd() != "/bot", f"runs in {os.getcwd()} by {sys.executable}")


attacker.play(attack)
