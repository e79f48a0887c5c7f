"""User ids for bots: each running bot gets one that is unique on the machine."""

import os
import secrets
import socket
from contextlib import suppress

from arena.errors import HarnessFailure


class BotUser:
    """A claimed user id; close it once no process of the bot is left."""

    def __init__(self, uid: int, claim: socket.socket) -> None:
        self.uid = uid
        self.claim = claim

    def close(self) -> None:
        """Release the id; the kernel does so too when this process ends."""
        self.claim.close()


def claim_user(first: int, count: int) -> BotUser:
    """Claim one of `count` user ids from `first` on, which no process on the machine uses.

    A claim is an abstract Unix socket bound to a name, which only one process can have. Such names
    exist in one network namespace only, and systemd gives services ids of the same range, so ids of
    running processes are left out too. Bots that shared an id would share one limit of processes.
    """
    used = users_of_processes()
    start = secrets.randbelow(count)
    for place in range(count):
        number = first + (start + place) % count
        if number in used:
            continue
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0stichkampf-user-{number}")
        except OSError:
            claim.close()
        else:
            return BotUser(number, claim)
    raise HarnessFailure(f"all {count} user ids for bots are in use on this machine")


def users_of_processes() -> set[int]:
    """The user ids of all visible processes."""
    found = set()
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                with suppress(OSError):  # it has just ended
                    found.add(entry.stat().st_uid)
    return found
