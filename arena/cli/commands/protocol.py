"""The command `arena protocol`: export the schema or copy the specification."""

import shutil
from pathlib import Path

import click

from arena.errors import ArenaError
from arena.protocol.messages import PROTOCOL_VERSION
from arena.protocol.schema import schema_bytes
from arena.reference import SPECIFICATION
from arena.sanitize import printable

SCHEMA_FILE = Path("protocol") / "schema.json"
STDOUT = Path("-")


class UnusableFile(ArenaError):
    """A file that cannot be read or written."""


@click.group()
def protocol() -> None:
    """The protocol between referee and bots."""


@protocol.command()
@click.option("--check", is_flag=True, help="Only say whether the file is up to date.")
@click.option(
    "--to",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=f"Where it is written, - for stdout.  [default: {SCHEMA_FILE}]",
)
def export(file: Path | None, *, check: bool) -> None:
    """Write the JSON Schema of all messages.

    It is made from the messages themselves. With --check nothing is written, and the exit status
    is 1 if the file does not hold what would be.
    """
    if file == STDOUT and check:
        raise UnusableFile("there is nothing to check on stdout: name a file with --to")
    if file == STDOUT:
        click.echo(schema_bytes(), nl=False)
        return
    target = file or SCHEMA_FILE
    if not target.parent.is_dir():
        raise UnusableFile(
            f"there is no folder {target.parent} here: name a file with --to, or - for stdout"
        )
    try:
        if not check:
            target.write_bytes(schema_bytes())
            click.echo(printable(f"{target}: the schema of protocol {PROTOCOL_VERSION}"))
            return
        current = target.read_bytes() if target.exists() else b""
    except OSError as error:
        raise UnusableFile(f"{target}: {error.strerror}") from error
    if current != schema_bytes():
        again = f"arena protocol export --to {file}" if file else "arena protocol export"
        click.echo(printable(f"{target} is not up to date: run '{again}'"), err=True)
        raise click.exceptions.Exit(1)
    click.echo(printable(f"{target} is up to date"))


@protocol.command()
@click.argument("folder", type=click.Path(path_type=Path))
def copy(folder: Path) -> None:
    """Copy the specification into a new FOLDER: its page, schema, examples and transcripts."""
    try:
        shutil.copytree(SPECIFICATION, folder)
    except FileExistsError:
        raise UnusableFile(f"{folder} exists already: choose another name, or remove it") from None
    except OSError as error:
        raise UnusableFile(f"{folder} cannot be made: {error.strerror or error}") from error
    click.echo(
        printable(f"{folder / 'README.md'}: protocol {PROTOCOL_VERSION}, for who writes a bot")
    )
