"""Stops a bot with everything it has started while nobody asks it anything."""

import os
from contextlib import suppress
from signal import SIGCONT, SIGSTOP

from arena.bots.guard import below, children, send

STOP, GO_ON = b"1", b"0"


class Freezer:
    """A bot's own: by its control group where there is one, else by signals."""

    def __init__(self, guard: int, group: str | None) -> None:
        self.guard = guard
        self.switch = -1
        """The open file that stops and continues the group."""
        self.halted: list[int] = []
        """What signals have stopped."""
        self.stopped = False
        if group:
            with suppress(OSError):  # a kernel before 5.2
                self.switch = os.open(f"{group}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)

    def stop(self) -> None:
        """Let nothing of the bot run."""
        self.stopped = True
        if self.switch >= 0:
            self.turn(STOP)
            return
        while new := set(below(children(self.guard))) - set(self.halted):
            send(list(new), SIGSTOP)  # what was started just before is found the next time
            self.halted += new

    def go_on(self) -> None:
        """Let it run."""
        if not self.stopped:
            return
        self.stopped = False
        if self.switch >= 0:
            self.turn(GO_ON)
        send(self.halted, SIGCONT)
        self.halted = []

    def turn(self, value: bytes) -> None:
        """Stop or continue the group, which may be gone."""
        with suppress(OSError):
            os.pwrite(self.switch, value, 0)

    def close(self) -> None:
        """Let go of the group, which runs on."""
        self.go_on()
        if self.switch >= 0:
            os.close(self.switch)
            self.switch = -1
