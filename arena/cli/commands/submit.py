"""The command `arena submit`: send a bot to a ladder and print the messages about it."""

import getpass
import os
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.table import Table
from rich.text import Text

from arena.archives.unpack import write_bot_archive
from arena.bots.interpreters import INTERPRETER_OF_SUFFIX
from arena.bots.manifest import MANIFEST_FILE as MANIFEST
from arena.bots.manifest import load
from arena.cli.completion import bot_names
from arena.cli.output import SafeConsole, print_hanging, print_json
from arena.errors import ArenaError, BadBot
from arena.ladder.folder import open_ladder, upgrade_ladder
from arena.ladder.models import SubmissionMessage, SubmissionState
from arena.ladder.registry import Registry
from arena.ladder.submissions.client import LadderClient
from arena.ladder.submissions.intake import Intake
from arena.ladder.submissions.worker import lock_submission, process_submission, remove_leftovers
from arena.sanitize import printable
from arena.store.run import Run

MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("…", "dim")}
CHECK_PREFIX = "check "
MAX_EVIDENCE_LINES = 30
"""Lines of a piece of evidence."""


class SubmissionPrinter:
    """Shows what a ladder says, step by step; the steps of a check that passed in one line."""

    def __init__(self, *, hidden: bool = False) -> None:
        self.console = SafeConsole(stderr=hidden)
        self.hidden = hidden
        self.messages: list[SubmissionMessage] = []
        self.passed_steps = 0
        """Steps of the check that passed and were not shown yet."""

    def add_message(self, message: SubmissionMessage) -> None:
        """Take the next thing that is said."""
        self.messages.append(message)
        if self.hidden:
            return
        if message.step.startswith(CHECK_PREFIX) and message.passed:
            self.passed_steps += 1
            return
        self.show_passed_steps()
        self.show_message(message)

    def show_passed_steps(self) -> None:
        """Show the steps that passed."""
        if self.passed_steps:
            count, self.passed_steps = self.passed_steps, 0
            steps = "1 step" if count == 1 else f"{count} steps"
            self.show_message(
                SubmissionMessage(step="check", passed=True, text=f"{steps} of the protocol kept")
            )

    def show_message(self, message: SubmissionMessage) -> None:
        """Show one thing."""
        mark, style = MARKS[message.passed]
        step, _, inner = message.step.partition(" ")
        lead = Text.assemble((f"{mark} ", style), (f"{printable(step):<12}", "bold"))
        text = f"{inner}: {message.text}" if inner else message.text
        print_hanging(self.console, lead, Text(printable(text)))
        for what, text in message.evidence.items():
            lines = text.splitlines()
            self.console.print(Text(f"    {printable(what)}:", "dim"))
            for line in lines[:MAX_EVIDENCE_LINES]:
                self.console.print(Text(f"      {printable(line)}"), soft_wrap=True)
            if len(lines) > MAX_EVIDENCE_LINES:
                self.console.print(
                    Text(f"      … {len(lines) - MAX_EVIDENCE_LINES} more lines", "dim")
                )
        if message.table:
            self.show_table(message.table)

    def show_table(self, rows: list[list[str]]) -> None:
        """Show a table below what was said."""
        shown = Table.grid(padding=(0, 2, 0, 0))
        shown.add_column(width=12)
        for number, _ in enumerate(rows[0]):
            shown.add_column(justify="right" if number else "left")
        for number, row in enumerate(rows):
            style = "dim" if not number else ""
            shown.add_row("", *(Text(printable(text), style) for text in row))
        self.console.print(shown)

    def finish(self, fate: SubmissionState) -> None:
        """What became of it."""
        if self.hidden:
            return
        self.show_passed_steps()
        if fate == "refused":
            self.console.print("Refused; nothing of it is left on the ladder.")


READ_SIZE = 1 << 16


@click.command(short_help="Send a bot to a ladder.")
@click.argument(
    "bot", type=click.Path(exists=True, path_type=Path), shell_complete=bot_names, metavar="BOT"
)
@click.option(
    "--to",
    "to",
    required=True,
    envvar="ARENA_LADDER",
    metavar="DIR|URL",
    help="The ladder: its folder, or where its server is.",
)
@click.option(
    "--token", envvar="ARENA_TOKEN", help="Who you are, for a server; or set ARENA_TOKEN."
)
@click.option("--name", default="", help="Under which it plays; by default as it calls itself.")
@click.option("--message", "-m", default="", help="What is new, in one line.")
@click.option("--owner", help="Whose bot it is, where the ladder is a folder; by default yours.")
@click.option("--insecure", is_flag=True, help="Allow http, which sends the token unencrypted.")
@click.option("--json", "as_json", is_flag=True, help="Everything that was said, as JSON.")
def submit(  # noqa: PLR0913 (one for each option)
    *,
    bot: Path,
    to: str,
    token: str | None,
    name: str,
    message: str,
    owner: str | None,
    insecure: bool,
    as_json: bool,
) -> None:
    """Send BOT, which is a script, a folder or an archive, to a ladder.

    It is unpacked, built and checked, plays some games against reference bots, and is accepted as
    the next version of its name, or refused with what shows why. The exit status is 0 if it was
    accepted and 1 if not; whatever is refused or interrupted leaves nothing behind.
    """
    talk = SubmissionPrinter(hidden=as_json)
    with TemporaryDirectory(prefix="stichkampf-") as temporary:
        file = pack_bot(bot, Path(temporary))
        if "://" in to:
            if token is None:
                raise ArenaError("a server wants a token: say --token, or set ARENA_TOKEN")
            fate = LadderClient(to, token, insecure=insecure).submit(
                file, name, message, talk.add_message
            )
        else:
            fate = submit_locally(file, Path(to), owner or user_name(), (name, message), talk)
    if as_json:
        print_json({"state": fate, "said": talk.messages})
    talk.finish(fate)
    if fate != "accepted":
        sys.exit(1)


def pack_bot(bot: Path, folder: Path) -> Path:
    """What is sent: the file itself, or a folder in an archive."""
    file = folder / f"{bot.resolve().name}.tar.gz"
    if bot.is_dir():
        write_bot_archive(bot, file, ignored_files(bot))
    elif not bot.is_file():
        raise ArenaError(f"{bot} is neither a file nor a folder")
    elif is_program(bot):
        write_bot_archive(bot, file)  # that it can be run would be lost otherwise
    else:
        return bot
    return file


def ignored_files(bot: Path) -> tuple[str, ...]:
    """What in a bot's folder is no part of it."""
    try:
        return load(bot / MANIFEST).ignore
    except BadBot:  # which the ladder will say
        return ()


def is_program(bot: Path) -> bool:
    """Whether a file is run by itself, and is no archive that merely may be."""
    if bot.suffix in INTERPRETER_OF_SUFFIX or not os.access(bot, os.X_OK):
        return False
    return not (zipfile.is_zipfile(bot) or tarfile.is_tarfile(bot))


def user_name() -> str:
    """Whoever this is, by the name that the machine knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number that has no name
        raise ArenaError("nobody knows your name here; say --owner NAME") from None


def submit_locally(
    file: Path, folder: Path, owner: str, details: tuple[str, str], printer: SubmissionPrinter
) -> SubmissionState:
    """Hand it in at a folder of this machine, and work on it here."""
    ladder = open_ladder(folder)
    upgrade_ladder(folder)
    with Run.open(folder) as run:
        ladder.check_settings(run)
    remove_leftovers(ladder)
    with Registry.open(folder) as registry:
        incoming = Intake(folder).begin_upload(registry, owner, file.name, *details)
        with lock_submission(incoming.folder):  # else a server might begin to work on it
            try:
                with file.open("rb") as stream:
                    while piece := stream.read(READ_SIZE):
                        incoming.write(piece)
                submission = incoming.finish(registry)
            except BaseException:
                incoming.discard()
                raise
            return process_submission(ladder, submission.id, printer.add_message, is_locked=True)
