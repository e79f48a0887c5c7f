"""The command `arena`: its subcommands, and how an error is said."""

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import click

from arena.cli.check import check
from arena.cli.completion import completion
from arena.cli.demo import demo
from arena.cli.new import new
from arena.cli.play import play
from arena.cli.protocol import protocol
from arena.cli.replay import replay
from arena.cli.rules import rules
from arena.cli.variants import variants
from arena.cli.verify import verify
from arena.errors import ArenaError


class Mistake(click.ClickException):
    """One sentence for the person at the keyboard."""

    exit_code = 2


class Arena(click.Group):
    """A group whose commands end in a `Mistake` where an `ArenaError` stopped them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except ArenaError as error:
            raise Mistake(str(error)) from error


@click.group(cls=Arena, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stichkampf", prog_name="arena")
def arena() -> None:
    """Tournaments for bots that play trick-taking card games."""


arena.add_command(check)
arena.add_command(completion)
arena.add_command(demo)
arena.add_command(new)
arena.add_command(protocol)
arena.add_command(play)
arena.add_command(replay)
arena.add_command(rules)
arena.add_command(variants)
arena.add_command(verify)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ⌂ shows ?
    arena.main(arguments, prog_name="arena")
