"""User ids for bots: each process that runs has one to itself, on the whole machine."""

import secrets
import socket

from arena.errors import HarnessFailure


class User:
    """A user id that nobody else has claimed; close it once nothing of the bot is left."""

    def __init__(self, number: int, claim: socket.socket) -> None:
        self.number = number
        self.claim = claim

    def close(self) -> None:
        """Let others have it; the kernel does so too when this process ends."""
        self.claim.close()


def claim_user(first: int, count: int) -> User:
    """Claim one of so many user ids from the first on, which no other arena process uses.

    A claim is an abstract Unix socket bound to a name, which only one process can have.
    """
    start = secrets.randbelow(count)
    for place in range(count):
        number = first + (start + place) % count
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0stichkampf-user-{number}")
        except OSError:
            claim.close()
        else:
            return User(number, claim)
    raise HarnessFailure(f"all {count} user ids for bots are in use on this machine")
