"""Talking to one process: its streams do not wait, tests do."""

import select

from arena.bots.process import BotProcess, read_available


def heard(process: BotProcess, stream: int | None = None) -> bytes:
    """The next thing it writes; nothing once it has closed its stdout."""
    number = process.stdout if stream is None else stream
    waiting = select.poll()
    waiting.register(number, select.POLLIN)
    while (written := read_available(number)) is None:
        assert waiting.poll(60_000), "nothing comes"
    return written


def everything(process: BotProcess, stream: int | None = None) -> bytes:
    """All it writes until it closes its stdout."""
    return b"".join(iter(lambda: heard(process, stream), b""))
