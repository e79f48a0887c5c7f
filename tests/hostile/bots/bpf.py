"""Loads a program of its own into the kernel."""

import ctypes

import attacker

MAP_CREATE, PROG_LOAD, PROG_GET_NEXT_ID, TOKEN_CREATE = 0, 5, 11, 36
SOCKET_FILTER, ARRAY = 1, 2
RETURN_NOTHING = (ctypes.c_uint64 * 2)(0xB7, 0x95)  # r0 = 0; exit


def attack() -> None:
    some_map = (ctypes.c_uint32 * 32)(ARRAY, 4, 4, 1)
    attacker.denied("map", attacker.call("bpf", MAP_CREATE, some_map, 128))
    licence = ctypes.create_string_buffer(b"GPL")
    program = (ctypes.c_uint64 * 16)(
        SOCKET_FILTER | 2 << 32, ctypes.addressof(RETURN_NOTHING), ctypes.addressof(licence)
    )
    attacker.denied("program", attacker.call("bpf", PROG_LOAD, program, 128))
    for name, command in (("list", PROG_GET_NEXT_ID), ("token", TOKEN_CREATE)):
        attacker.denied(name, attacker.call("bpf", command, (ctypes.c_uint64 * 16)(), 128))


attacker.play(attack)
