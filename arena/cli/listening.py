"""Listening: where a server is, as its options have it."""

import socket
from collections.abc import Callable
from typing import Any

import click

from arena.errors import ArenaError

Command = Callable[..., Any]


def listening_options(command: Command) -> Command:
    """Where to listen, as `host` and `port`."""
    for option in (
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8000,
            show_default=True,
            help="On which port; 0: any that is free.",
        ),
        click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen."),
    ):
        command = option(command)
    return command


def listen(host: str, port: int) -> socket.socket:
    """A socket at which others may already wait; a port that is taken is found out at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen()
        except BaseException:
            listening.close()
            raise
    except (OSError, UnicodeError) as error:  # the latter for names that no host can have
        reason = getattr(error, "strerror", None) or error
        raise ArenaError(
            f"{host}:{port} cannot be listened on: {reason}; name another with --host or --port"
        ) from error
    return listening


def address_of(host: str, listening: socket.socket, below: str = "") -> str:
    """The address of what listens."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}{below}/"
