"""Loads modules or another kernel, restarts the machine, takes its swap and its accounts."""

import attacker

NOWHERE = b"/stichkampf-nowhere"


def attack() -> None:
    # Whoever has the right learns that these arguments are wrong: nothing ever happens.
    for name, arguments in {
        "reboot": (1, 2, 3, None),
        "kexec_load": (0, 0, None, 0xFFFF),
        "kexec_file_load": (-1, -1, 0, None, 0),
        "init_module": (None, 0, b""),
        "finit_module": (-1, b"", 0),
        "delete_module": (b"stichkampf_nowhere", 0o4000),
        "swapon": (NOWHERE, 0),
        "swapoff": (NOWHERE,),
        "acct": (NOWHERE,),
        "vhangup": (),
        "iopl": (3,),
        "ioperm": (0x80, 1, 1),
    }.items():
        attacker.denied(name, attacker.call(name, *arguments))
    attacker.refused("quotactl", attacker.call("quotactl", 0x80000100, NOWHERE, 0, None))


attacker.play(attack)
