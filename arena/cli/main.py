"""The command `arena`: load its subcommands, report errors and set the exit status."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from arena.cli.output import error_text
from arena.cli.systemd_scope import enter_systemd_scope
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
"""The names of the commands in the order of the help page."""

SIGNAL_STATUS_BASE = 128
"""A program that a signal ended has this exit status plus the signal's number."""

RESEND_DELAY = 0.01
"""Seconds after which a signal that was lost in a callback is sent again."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used.

    The command `x` is the function `x` of the module `arena.cli.commands.x`, or of
    `arena.cli.commands.PREFIX_x` in a group with a prefix.
    """

    def __init__(self, *args: Any, names: Sequence[str], prefix: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.names = names
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The names of all commands."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        """Import the command of this name."""
        if cmd_name not in self.names:
            return None
        module = import_module(f"arena.cli.commands.{self.prefix}{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command


class UserError(click.ClickException):
    """A mistake of the user, reported in one sentence."""

    exit_code = 2


class ArenaGroup(LazyGroup):
    """The group of all commands; it reports an `ArenaError` as a `UserError`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and translate its errors."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # before click sets another exit status
            discard_output()
            sys.exit(SIGNAL_STATUS_BASE + signal.SIGPIPE)
        except ArenaError as error:
            raise UserError(error_text(str(error))) from error
        except click.UsageError as error:  # it quotes arguments, which may be hostile file names
            raise click.UsageError(error_text(error.format_message()), error.ctx) from error


@click.group(
    cls=ArenaGroup,
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
            os.open(os.devnull, os.O_RDWR)  # else a pipe would get the number of a closed stream
    if arguments is None:
        enter_systemd_scope(sys.argv[1:])
    sys.stdout, sys.stderr = sys.stdout or open_devnull(), sys.stderr or open_devnull()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, exit_on_signal)
    sys.unraisablehook = resend_signal
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # print ? where the encoding has no ⌂
    try:
        status = arena.main(arguments, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        status = SIGNAL_STATUS_BASE + signal.SIGINT
    except BrokenPipeError:
        status = SIGNAL_STATUS_BASE + signal.SIGPIPE
        discard_output()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        UserError("the output cannot be written: no space left on device").show()
        status = UserError.exit_code
        discard_output()
    sys.exit(status if isinstance(status, int) else 0)


def open_devnull() -> TextIO:
    """A stream that replaces one that was closed before the program began."""
    return Path(os.devnull).open("w", encoding="utf-8")


def exit_on_signal(number: int, _frame: object) -> None:
    """Exit at a signal by an exception, so that no process is left running."""
    sys.exit(SIGNAL_STATUS_BASE + number)


def resend_signal(failure: "sys.UnraisableHookArgs") -> None:
    """Send a signal again that arrived in a callback, where Python drops its exception."""
    if isinstance(failure.exc_value, KeyboardInterrupt):
        number = int(signal.SIGINT)
    elif isinstance(failure.exc_value, SystemExit) and isinstance(failure.exc_value.code, int):
        number = failure.exc_value.code - SIGNAL_STATUS_BASE
    else:
        sys.__unraisablehook__(failure)
        return
    timer = threading.Timer(RESEND_DELAY, os.kill, (os.getpid(), number))  # after the callback
    timer.daemon = True
    timer.start()


def discard_output() -> None:
    """Redirect stdout to /dev/null, so that Python does not fail again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
