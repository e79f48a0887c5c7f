"""The command `arena serve`: serve the pages, submissions and API of a ladder."""

import logging
import re
import sys
import webbrowser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from arena.cli.options import open_listener, server_options, server_url
from arena.errors import ArenaError
from arena.ladder import settings
from arena.ladder.folder import upgrade_ladder
from arena.sanitize import printable
from arena.tournaments.play.run_log import OneLineFormatter

PREFIX_PATTERN: Final = re.compile(r"(/[A-Za-z0-9_-]{1,60}){1,8}")
RESERVED_PATHS: Final = frozenset(
    "api bots events healthz lists nights packs standings static submit".split()  # noqa: SIM905 (they are read more easily)
)
"""Where the pages of a ladder have something themselves."""


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
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ArenaError(
            "arena serve needs two more packages: run pip install 'stichkampf[web]'; "
            "arena ladder night needs none"
        )
    below = parse_prefix(prefix)
    name = settings.load(folder).keys.name
    with (
        open_listener(host, port) as listening,
        import_module("arena.web.submission_queue").serve_lock(folder),
    ):
        log_to_stderr()
        upgrade_ladder(folder)
        server = import_module("arena.web.ladder_app").create_server(folder, below, per_address)
        address = server_url(host, listening, below)
        click.echo(f"{address} serves {printable(name)}, {printable(str(folder))}; Ctrl-C ends it")
        if opens and not webbrowser.open(address):
            click.echo("No browser was found; open it yourself.", err=True)
        server.run(sockets=[listening])


def parse_prefix(prefix: str) -> str:
    """A prefix as it stands before every path; refused where the ladder would hide itself."""
    plain = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
    if plain and not PREFIX_PATTERN.fullmatch(plain):
        raise ArenaError(f"--prefix {prefix!r} is no path; it takes letters and digits: /ladder")
    if plain.split("/")[1:2] and plain.split("/")[1] in RESERVED_PATHS:
        raise ArenaError(
            f"--prefix {prefix!r} is a path that the pages have; take another: /ladder"
        )
    return plain


def log_to_stderr() -> None:
    """Write a line for every request and whatever goes wrong."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(OneLineFormatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("arena", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.addHandler(lines)
        logger.propagate = False
