"""A group of commands, each loaded when it is wanted."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click


class Lazy(click.Group):
    """Each command is a module of a package, and holds a command of the same name."""

    def __init__(self, *args: Any, package: str, names: Sequence[str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.package = package
        self.names = names

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """All there are."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        """The command of this name."""
        if cmd_name not in self.names:
            return None
        command: click.Command = getattr(import_module(f"{self.package}.{cmd_name}"), cmd_name)
        return command
