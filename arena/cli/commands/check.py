"""The command `arena check`: check that a bot follows the protocol."""

import sys

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.bot import load_bot
from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import complete_bot, complete_variant
from arena.cli.faults_view import show_exchange
from arena.cli.options import build_settings, clock_option, sandbox_options
from arena.cli.output import SafeConsole, print_json
from arena.cli.progress import StepProgress
from arena.conformance.check import DEFAULT_LIMITS, StepResult, check_bot
from arena.conformance.steps import STEPS
from arena.protocol.messages import Limits
from arena.sanitize import cut_middle, printable

RESULT_WORDS = {True: ("Passed", "green"), False: ("Failed", "bold red")}


@click.command(short_help="Check that a bot keeps to the protocol.")
@click.argument("name", metavar="BOT", shell_complete=complete_bot)
@click.option(
    "--variant",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_variant,
    help="Try only this variant, or those of a pattern such as 'stick-em*'; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array, for programs.")
@clock_option(DEFAULT_LIMITS)
@sandbox_options
def check(  # noqa: PLR0913 (one for each option)
    *,
    name: str,
    names: tuple[str, ...],
    as_json: bool,
    limits: Limits,
    level: SandboxLevel | None,
    network: bool,
) -> None:
    """Check that BOT keeps to the protocol: in named steps, each from a clause of it.

    Of a step that failed it shows the request, the reply and what the bot wrote to stderr. The exit
    status is 0 if all steps passed and 1 if not.
    """
    settings = build_settings(level, network=network)
    bot = load_bot(name, settings)
    console = SafeConsole()
    shown: list[StepResult] = []

    with StepProgress() as progress:

        def show(step: StepResult) -> None:
            progress.hide()
            if not as_json and step.passed is not None:
                failures = {before.clause for before in shown if before.passed is False}
                shown.append(step)
                show_step(console, len(shown), step, is_repeat=step.clause in failures)

        result = check_bot(
            bot,
            names,
            limits=limits,
            sandbox=settings.sandbox,
            on_step=show,
            on_progress=progress.show,
        )
    if as_json:
        print_json(result.steps)
    elif result.passed:
        console.print(f"\n{printable(bot.name)} {bot.version} keeps to the protocol")
    else:
        if untried := ", ".join(step.step for step in result.untried_steps):
            console.print(f"Not tried, since nothing works without that: {untried}")
        console.print(
            f"\n{len(result.failed_steps)} of {len(result.steps)} steps failed; "
            "the clauses are in protocol/README.md"
        )
    if not result.passed:
        sys.exit(1)


def show_step(console: Console, number: int, result: StepResult, *, is_repeat: bool) -> None:
    """Print how a step went; the evidence of a failure only for the first of each clause."""
    word, style = RESULT_WORDS[bool(result.passed)]
    remark = f": {printable(cut_middle(result.text))}" if result.text else ""
    row = Table.grid(padding=(0, 1))
    row.add_column(width=max(len(word) for word, _ in RESULT_WORDS.values()))
    row.add_column(width=2, justify="right")
    row.add_column(width=3)
    row.add_column(width=max(len(step.name) for step in STEPS))
    row.add_column(overflow="fold")
    row.add_row(
        Text(word, style),
        str(number),
        Text(result.clause, "cyan"),
        Text(result.step, "bold"),
        Text.assemble(result.says, (remark, "red" if result.passed is False else "dim")),
    )
    console.print(row)
    if not is_repeat:
        show_exchange(console, result.request, result.reply, result.stderr)
