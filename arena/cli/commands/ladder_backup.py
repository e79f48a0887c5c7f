"""The command `arena ladder backup`: write a ladder into one archive."""

from pathlib import Path

import click

from arena.cli.options import ladder_argument
from arena.ladder.backup import back_up
from arena.sanitize import printable


@click.command(short_help="Write a ladder into one file.")
@ladder_argument
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Overwrite FILE once the new archive is complete.")
def backup(*, folder: Path, file: Path, replace: bool) -> None:
    """Write the ladder in DIR into the tar archive FILE, also while a night goes on.

    It holds ladder.yaml, the database as it stands, and the files of every version; logs, pages and
    submissions that are being worked on are left out. A name that ends in .gz is compressed. To
    restore it, unpack it into a new folder: tar -xf FILE -C NEW. Keep it as secret as the ladder's
    folder, for it holds the secret that deals are made from.
    """
    result = back_up(folder, file, replace=replace)
    click.echo(f"Wrote {printable(str(file))}: {result.size / (1 << 20):,.1f} MiB.")
    for bot in result.missing:
        click.echo(f"Not in it: {printable(bot)}, whose files are gone.", err=True)
