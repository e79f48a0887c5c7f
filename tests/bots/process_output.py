"""Talking to one process: its streams do not wait, tests do."""

import select

from arena.bots.process import BotProcess, read_available


def read_output(process: BotProcess, stream: int | None = None) -> bytes:
    """Wait for the next output of a process; empty after it closed its stdout."""
    number = process.stdout if stream is None else stream
    waiting = select.poll()
    waiting.register(number, select.POLLIN)
    while (written := read_available(number)) is None:
        assert waiting.poll(60_000), "nothing comes"
    return written


def read_all_output(process: BotProcess, stream: int | None = None) -> bytes:
    """Read the output of a process until it closes its stdout."""
    return b"".join(iter(lambda: read_output(process, stream), b""))
