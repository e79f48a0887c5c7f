"""The command `arena check`: check that a bot follows the protocol."""

import sys
from fnmatch import fnmatchcase
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.bots.sandbox.limits import SandboxLevel
from arena.cli.completion import bot_names, variant_names
from arena.cli.faults_view import show_exchange
from arena.cli.options import build_settings, clock_option, sandbox_options
from arena.cli.output import SafeConsole, print_json
from arena.cli.progress import StepProgress
from arena.conformance.check import DEFAULT_LIMITS, StepResult
from arena.conformance.check import check as checked
from arena.conformance.steps import STEPS
from arena.errors import UnknownVariant
from arena.games.catalog import VARIANTS, Variant, variant
from arena.protocol.messages import Limits
from arena.sanitize import cut_middle, printable

RESULT_WORDS = {True: ("Passed", "green"), False: ("Failed", "bold red")}


@click.command(short_help="Check that a bot keeps to the protocol.")
@click.argument("name", metavar="BOT", shell_complete=bot_names)
@click.option(
    "--variant",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=variant_names,
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
    shop = build_settings(level, network=network)
    bot = load_bot(name, shop)
    variants = select_variants(names)
    console = SafeConsole()
    outcomes: list[StepResult] = []
    with Launcher(shop.sandbox) as launcher, StepProgress() as pacing:
        for outcome in checked(bot, launcher, variants, limits, pacing.show):
            pacing.hide()
            outcomes.append(outcome)
            if not as_json and outcome.passed is not None:
                shown = [before.clause for before in outcomes[:-1] if before.passed is False]
                show_step(console, len(outcomes), outcome, is_repeat=outcome.clause in shown)
    failed = [outcome for outcome in outcomes if outcome.passed is False]
    untried = [outcome.step for outcome in outcomes if outcome.passed is None]
    if as_json:
        print_json(outcomes)
    elif failed:
        if untried:
            console.print(f"Not tried, since nothing works without that: {', '.join(untried)}")
        what = "the clauses are in protocol/README.md"
        console.print(f"\n{len(failed)} of {len(outcomes)} steps failed; {what}")
    else:
        console.print(f"\n{printable(bot.name)} {bot.version} keeps to the protocol")
    if failed:
        sys.exit(1)


def select_variants(names: tuple[str, ...]) -> list[Variant[Any]]:
    """The variants a person named, in the order of the catalog; by default all."""
    patterns = [name if set(name) & set("*?[") else variant(name).name for name in names]
    for pattern in patterns:
        if not any(fnmatchcase(each, pattern) for each in VARIANTS):
            raise UnknownVariant(f"no variant is called {pattern!r}; 'arena variants' lists all")
    return [
        each
        for each in VARIANTS.values()
        if not patterns or any(fnmatchcase(each.name, pattern) for pattern in patterns)
    ]


def show_step(console: Console, number: int, outcome: StepResult, *, is_repeat: bool) -> None:
    """A step for a person to read; what shows a failure only for the first of its kind."""
    word, style = RESULT_WORDS[bool(outcome.passed)]
    remark = f": {printable(cut_middle(outcome.text))}" if outcome.text else ""
    row = Table.grid(padding=(0, 1))
    row.add_column(width=max(len(word) for word, _ in RESULT_WORDS.values()))
    row.add_column(width=2, justify="right")
    row.add_column(width=3)
    row.add_column(width=max(len(step.name) for step in STEPS))
    row.add_column(overflow="fold")
    row.add_row(
        Text(word, style),
        str(number),
        Text(outcome.clause, "cyan"),
        Text(outcome.step, "bold"),
        Text.assemble(outcome.says, (remark, "red" if outcome.passed is False else "dim")),
    )
    console.print(row)
    if not is_repeat:
        show_exchange(console, outcome.request, outcome.reply, outcome.stderr)
