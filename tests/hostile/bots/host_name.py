"""Gives the machine another name."""

import socket

import attacker


def attack() -> None:
    name = socket.gethostname().encode()
    attacker.refused("sethostname", attacker.call("sethostname", name, len(name)))
    attacker.refused("setdomainname", attacker.call("setdomainname", b"(none)", 6))
    attacker.attempt("by library", socket.sethostname, name.decode())
    attacker.judge(name != b"bot", f"it is called {name.decode()}")


attacker.play(attack)
