"""Keeps notes in the kernel's keyrings, which belong to a user and not to a process."""

import attacker

KEYRINGS = {"thread": -1, "process": -2, "session": -3, "user": -4, "user session": -5}
GET_KEYRING_ID, JOIN_SESSION, REVOKE, SEARCH, GET_PERSISTENT = 0, 1, 3, 10, 22


def attack() -> None:
    for name, ring in KEYRINGS.items():
        result = attacker.call("add_key", b"user", b"stichkampf-note", b"x", 1, ring)
        if not attacker.refused(f"add to {name}", result):
            attacker.call("keyctl", REVOKE, result)  # it is not to stay where it could
        result = attacker.call("keyctl", GET_KEYRING_ID, ring, 1)
        attacker.refused(f"find {name}", result)
        result = attacker.call("keyctl", SEARCH, ring, b"user", b"stichkampf-test", 0)
        attacker.denied(f"search {name}", result)
    attacker.refused("join", attacker.call("keyctl", JOIN_SESSION, b"stichkampf"))
    attacker.denied("persistent", attacker.call("keyctl", GET_PERSISTENT, -1, -2))
    attacker.denied("request", attacker.call("request_key", b"user", b"stichkampf-test", None, -1))


attacker.play(attack)
