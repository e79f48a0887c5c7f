"""`arena watch`: the site of a run while it is played."""

import socket
import webbrowser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from arena.cli import selection
from arena.cli.untrusted import printable
from arena.errors import ArenaError


@click.command(short_help="Show a run in a browser while it is played.")
@selection.run_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="On which port; 0: any that is free.",
)
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
def watch(*, run: Path | None, host: str, port: int, opens: bool) -> None:
    """Serve the pages of `arena report` about RUN as it goes on, until Ctrl-C.

    RUN is the folder of a run; it can be left out if there is only one under runs. Whoever can
    reach the host can read the pages; they let nobody change anything.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArenaError(
            "arena watch needs two more packages: run pip install 'stichkampf[web]'; "
            "arena report needs none"
        )
    folder = selection.folder(run)
    with listen(host, port) as listening:
        server = import_module("arena.web.server").Server.of_run(folder)
        number = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{number}/"
        click.echo(f"{address} follows {printable(str(folder))}; Ctrl-C ends it")
        if opens and not webbrowser.open(address):
            click.echo("No browser was found; open it yourself.", err=True)
        server.run(sockets=[listening])


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
