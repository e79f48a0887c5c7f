"""The command `arena watch`: serve the pages of a run while it is played."""

import webbrowser
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
    require_web_packages("arena watch", "arena report")
    from arena.web.server import create_run_server  # noqa: PLC0415 (needs optional packages)

    folder = run_options.run_folder(run)
    with open_listener(host, port) as listener:
        server = create_run_server(folder)
        url = server_url(host, listener)
        click.echo(f"{url} follows {printable(str(folder))}; Ctrl-C ends it")
        if opens:
            open_browser(url)
        server.run(sockets=[listener])


def require_web_packages(command: str, alternative: str) -> None:
    """Raise an error if the optional packages of the web server are not installed."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArenaError(
            f"{command} needs two more packages: run pip install 'stichkampf[web]'; "
            f"{alternative} needs none"
        )


def open_browser(url: str) -> None:
    """Open an address in a browser, or print that there is none."""
    if not webbrowser.open(url):
        click.echo("No browser was found; open it yourself.", err=True)
