"""The command `arena submit`: send a bot to a ladder and print the messages about it."""

import getpass
import sys
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.cli.completion import complete_bot
from arena.cli.output import SafeConsole, print_hanging, print_json
from arena.errors import ArenaError
from arena.ladder.models import SubmissionMessage
from arena.ladder.submissions.client import LadderClient
from arena.ladder.submissions.submit import SubmissionResult, submit_bot, submit_to_server
from arena.sanitize import printable
from arena.text import plural

MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("…", "dim")}
CHECK_PREFIX = "check "
MAX_EVIDENCE_LINES = 30
"""The most lines of a piece of evidence that are printed."""


class SubmissionPrinter:
    """Prints the messages about a submission; the passed steps of the check become one line."""

    def __init__(self, *, hidden: bool = False) -> None:
        self.console = SafeConsole(stderr=hidden)
        self.hidden = hidden
        self.passed_steps = 0
        """Passed steps of the check that are not printed yet."""

    def add_message(self, message: SubmissionMessage) -> None:
        """Print a message, unless output is JSON."""
        if self.hidden:
            return
        if message.step.startswith(CHECK_PREFIX) and message.passed:
            self.passed_steps += 1
            return
        self.show_passed_steps()
        self.show_message(message)

    def show_passed_steps(self) -> None:
        """Print how many steps of the check passed."""
        if self.passed_steps:
            count, self.passed_steps = self.passed_steps, 0
            steps = plural(count, "step")
            self.show_message(
                SubmissionMessage(step="check", passed=True, text=f"{steps} of the protocol kept")
            )

    def show_message(self, message: SubmissionMessage) -> None:
        """Print one message with its evidence."""
        mark, style = MARKS[message.passed]
        step, _, inner = message.step.partition(" ")
        lead = Text.assemble((f"{mark} ", style), (f"{printable(step):<12}", "bold"))
        text = f"{inner}: {message.text}" if inner else message.text
        print_hanging(self.console, lead, Text(printable(text)))
        for title, text in message.evidence.items():
            lines = text.splitlines()
            self.console.print(Text(f"    {printable(title)}:", "dim"))
            for line in lines[:MAX_EVIDENCE_LINES]:
                self.console.print(Text(f"      {printable(line)}"), soft_wrap=True)
            if len(lines) > MAX_EVIDENCE_LINES:
                self.console.print(
                    Text(f"      … {len(lines) - MAX_EVIDENCE_LINES} more lines", "dim")
                )
        if message.table:
            self.show_table(message.table)

    def show_table(self, rows: list[list[str]]) -> None:
        """Print the table of a message."""
        shown = Table.grid(padding=(0, 2, 0, 0))
        shown.add_column(width=12)
        for number, _ in enumerate(rows[0]):
            shown.add_column(justify="right" if number else "left")
        for number, row in enumerate(rows):
            style = "dim" if not number else ""
            shown.add_row("", *(Text(printable(text), style) for text in row))
        self.console.print(shown)

    def finish(self, result: SubmissionResult) -> None:
        """Print what became of the submission."""
        if self.hidden:
            return
        self.show_passed_steps()
        if result.state == "refused":
            self.console.print("Refused; nothing of it is left on the ladder.")


@click.command(short_help="Send a bot to a ladder.")
@click.argument(
    "bot", type=click.Path(exists=True, path_type=Path), shell_complete=complete_bot, metavar="BOT"
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
    printer = SubmissionPrinter(hidden=as_json)
    if "://" in to:
        if token is None:
            raise ArenaError("a server wants a token: say --token, or set ARENA_TOKEN")
        client = LadderClient(to, token, insecure=insecure)
        result = submit_to_server(
            bot, client, name=name, message=message, on_message=printer.add_message
        )
    else:
        result = submit_bot(
            bot,
            Path(to),
            owner or user_name(),
            name=name,
            message=message,
            on_message=printer.add_message,
        )
    if as_json:
        print_json({"state": result.state, "said": result.messages})
    printer.finish(result)
    if not result.is_accepted:
        sys.exit(1)


def user_name() -> str:
    """The name of the user of this machine."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        raise ArenaError("nobody knows your name here; say --owner NAME") from None
