"""Makes its pipes as small as they get and reads in tiny sips, so that writes get stuck."""

import fcntl

import attacker

F_SETPIPE_SZ = 1031
SIP = 7


def attack() -> None:
    attacker.sip = SIP
    for stream in (0, 1, 2):
        try:
            fcntl.fcntl(stream, F_SETPIPE_SZ, 1)
        except OSError as error:  # there is more in it than would fit
            attacker.note(f"{stream} {attacker.named(error.errno or 0)}")


attacker.play(attack, "before ready", harmless=True)
