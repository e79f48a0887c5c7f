"""The argument DIR of all commands about a ladder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Command = Callable[..., Any]


def ladder_argument(command: Command) -> Command:
    """The ladder's folder, as `folder`."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.argument("folder", metavar="DIR", type=kind)(command)
