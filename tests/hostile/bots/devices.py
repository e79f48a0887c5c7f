"""Opens every device there is, to reach the hardware or somebody's terminal."""

import os

import attacker

HARMLESS = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/fd", "/dev/stdin",
    "/dev/stdout", "/dev/stderr", "/dev/shm",
}  # fmt: skip
KNOWN = """/dev/tty /dev/console /dev/tty0 /dev/ptmx /dev/pts/0 /dev/mem /dev/kmsg /dev/fuse
/dev/kvm /dev/net/tun /dev/vda /dev/sda /dev/loop0 /dev/loop-control /dev/vsock /dev/vhost-net
/dev/input /dev/dri/card0 /dev/snd /dev/userfaultfd /dev/hwrng /dev/rtc0 /dev/watchdog
/dev/mqueue""".split()


def attack() -> None:
    found = [os.path.join(folder, name) for folder, _, names in os.walk("/dev") for name in names]
    for path in dict.fromkeys([*KNOWN, *found]):
        if path not in HARMLESS and not path.startswith("/dev/shm/"):
            attacker.attempt(path, os.open, path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    attacker.attempt("a new one", attacker.make_file, "/dev")


attacker.play(attack)
