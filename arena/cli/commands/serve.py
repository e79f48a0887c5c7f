"""The command `arena serve`: serve the pages, submissions and API of a ladder."""

import logging
import re
import sys
from pathlib import Path
from typing import Final

import click

from arena.cli.commands.watch import open_browser, require_web_packages
from arena.cli.options import open_listener, server_options, server_url
from arena.errors import ArenaError
from arena.ladder import settings
from arena.sanitize import printable
from arena.tournaments.play.logging_setup import OneLineFormatter

PREFIX_PATTERN: Final = re.compile(r"(/[A-Za-z0-9_-]{1,60}){1,8}")
RESERVED_PATHS: Final = frozenset(
    "api bots events healthz lists nights packs standings static submit".split()  # noqa: SIM905 (they are read more easily)
)
"""First parts of paths that the pages of a ladder use."""


@click.command(short_help="Serve a ladder: its pages, submissions, an API.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@server_options
@click.option(
    "--prefix", default="", metavar="/PATH", help="Below which path it stands behind a proxy."
)
@click.option(
    "--per-address",
    type=click.IntRange(1, 800),
    default=64,
    show_default=True,
    help="Most connections of one client address; a proxy on this machine may have more.",
)
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
def serve(  # noqa: PLR0913 (one for each option)
    *, folder: Path, host: str, port: int, prefix: str, per_address: int, opens: bool
) -> None:
    """Serve the ladder in DIR until Ctrl-C: its pages as they change, a form and an API.

    What is submitted is unpacked, built, checked and placed one after the other. Whoever can reach
    the host can read the pages; to submit takes a token, which 'arena ladder token' makes. There is
    no encryption: put a proxy before it that has some, and see the README of arena/web.
    """
    require_web_packages("arena serve", "arena ladder night")
    from arena.web.ladder_app import open_ladder_server  # noqa: PLC0415 (needs optional packages)

    path_prefix = parse_prefix(prefix)
    name = settings.load_settings(folder).keys.name
    with (
        open_listener(host, port) as listener,
        open_ladder_server(folder, path_prefix, per_address) as server,
    ):
        log_to_stderr()
        url = server_url(host, listener, path_prefix)
        click.echo(f"{url} serves {printable(name)}, {printable(str(folder))}; Ctrl-C ends it")
        if opens:
            open_browser(url)
        server.run(sockets=[listener])


def parse_prefix(prefix: str) -> str:
    """Return a prefix with a leading slash; reject one that the paths of the pages use."""
    normalized = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
    if normalized and not PREFIX_PATTERN.fullmatch(normalized):
        raise ArenaError(f"--prefix {prefix!r} is no path; it takes letters and digits: /ladder")
    if normalized.split("/")[1:2] and normalized.split("/")[1] in RESERVED_PATHS:
        raise ArenaError(
            f"--prefix {prefix!r} is a path that the pages have; take another: /ladder"
        )
    return normalized


def log_to_stderr() -> None:
    """Log requests and errors to stderr, one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLineFormatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("arena", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.addHandler(handler)
        logger.propagate = False
