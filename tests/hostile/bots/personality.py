"""Turns off what protects programs from each other, as for those of fifty years ago."""

import ctypes

import attacker

PERSONALITIES = {
    "no random addresses": 0x0040000,
    "everything is executable": 0x0400000,
    "32-bit": 0x0008,
    "page zero": 0x0100000,
    "old kernel": 0x0020000,
}


def attack() -> None:
    for name, number in PERSONALITIES.items():
        result = attacker.in_a_child(attacker.call, "personality", number)
        attacker.denied(name, result)
    entry = (ctypes.c_uint32 * 4)()
    attacker.denied("modify_ldt", attacker.call("modify_ldt", 1, entry, 16))


attacker.play(attack)
