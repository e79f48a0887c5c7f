"""Has the kernel do its calls for it in a queue, where no filter looks at them."""

import ctypes

import attacker


def attack() -> None:
    settings = (ctypes.c_uint32 * 32)()
    attacker.denied("setup", attacker.call("io_uring_setup", 8, settings))
    attacker.denied("enter", attacker.call("io_uring_enter", 0, 1, 0, 0, None, 0))
    attacker.denied("register", attacker.call("io_uring_register", 0, 0, None, 0))


attacker.play(attack)
