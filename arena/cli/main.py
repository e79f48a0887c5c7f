"""The command `arena`: its subcommands, and how an error is said."""

import errno
import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from arena.cli.lazy import Lazy
from arena.cli.scope import enter_scope
from arena.cli.untrusted import sentence
from arena.errors import ArenaError

COMMANDS = (
    "check",
    "compare",
    "completion",
    "crosstable",
    "demo",
    "doctor",
    "games",
    "ladder",
    "merge",
    "new",
    "plan",
    "play",
    "protocol",
    "replay",
    "report",
    "rules",
    "run",
    "serve",
    "show",
    "standings",
    "submit",
    "variants",
    "verify",
    "watch",
)
"""Each is a module of this package that holds a command of the same name."""


SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a program."""


class Mistake(click.ClickException):
    """One sentence for the person at the keyboard."""

    exit_code = 2


class Arena(Lazy):
    """A group that ends an `ArenaError` in a `Mistake`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # before click makes another status of it
            forget_output()
            sys.exit(SIGNALLED + signal.SIGPIPE)
        except ArenaError as error:
            raise Mistake(sentence(str(error))) from error
        except click.UsageError as error:  # it quotes words, which may be names of strangers' files
            raise click.UsageError(sentence(error.format_message()), error.ctx) from error


@click.group(
    cls=Arena,
    package="arena.cli",
    names=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="stichkampf", prog_name="arena")
def arena() -> None:
    """Tournaments for bots that play trick-taking card games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # a closed stream would become some pipe of ours
    if arguments is None:
        enter_scope(sys.argv[1:])
    sys.stdout, sys.stderr = sys.stdout or nowhere(), sys.stderr or nowhere()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(ending, leave)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ⌂ shows ?
    try:
        status = arena.main(arguments, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        status = SIGNALLED + signal.SIGINT
    except BrokenPipeError:
        status = SIGNALLED + signal.SIGPIPE
        forget_output()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        Mistake("the output cannot be written: no space left on device").show()
        status = Mistake.exit_code
        forget_output()
    sys.exit(status if isinstance(status, int) else 0)


def nowhere() -> TextIO:
    """A stream in place of one that was closed before the program began."""
    return Path(os.devnull).open("w", encoding="utf-8")


def leave(number: int, _frame: object) -> None:
    """End in order at a signal, so that nothing is left running."""
    sys.exit(SIGNALLED + number)


def forget_output() -> None:
    """Keep Python from trying once more to write what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
