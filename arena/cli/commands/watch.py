"""The command `arena watch`: serve the pages of a run while it is played."""

import webbrowser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from arena.cli import run_options
from arena.cli.options import open_listener, server_options, server_url
from arena.errors import ArenaError
from arena.sanitize import printable


@click.command(short_help="Show a run in a browser while it is played.")
@run_options.run_argument
@server_options
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
    folder = run_options.run_folder(run)
    with open_listener(host, port) as listening:
        server = import_module("arena.web.server").Server.of_run(folder)
        address = server_url(host, listening)
        click.echo(f"{address} follows {printable(str(folder))}; Ctrl-C ends it")
        if opens and not webbrowser.open(address):
            click.echo("No browser was found; open it yourself.", err=True)
        server.run(sockets=[listening])
