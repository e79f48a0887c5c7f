"""The account of a run: what is said before it is played, and after."""

import shlex
from pathlib import Path

from rich.console import Console
from rich.text import Text

from arena.cli import ranking
from arena.cli.output import Screen, paragraph, print_json
from arena.cli.progress import clock, count
from arena.cli.untrusted import printable, safe
from arena.tournaments.observer import look
from arena.tournaments.opening import Opened
from arena.tournaments.plan import Plan
from arena.tournaments.run import Ended

NOTES = 2
"""So many notes on a tournament are shown before it is played."""


def screen(*, aside: bool) -> Console:
    """Where people read: aside if the output is for a program."""
    return Screen(stderr=aside)


def introduce(console: Console, opened: Opened, plan: Plan, where: str) -> None:
    """What is going to be played."""
    tournament, totals, header = plan.tournament, plan.totals, opened.run.header
    console.print(
        Text.assemble(
            safe(header.name, "bold"),
            f": {count(len(tournament.bots), 'bot')}, {count(totals.tables, 'table')}, "
            f"{count(totals.blocks, 'block')}, {count(totals.games, 'game')}, "
            f"on {where}, sandbox {tournament.terms.sandbox.level}, "
            f"into {printable(str(opened.run.folder))}",
        ),
        soft_wrap=True,
    )
    if opened.new:
        console.print(f"The deals are bound by the commitment\n  {header.commitment}")
        for note in tournament.notes[:NOTES]:
            paragraph(console, note, style="yellow")
        if len(tournament.notes) > NOTES:
            paragraph(console, "arena plan has more remarks.", style="yellow")
    for change in opened.changes:
        console.print(f"Since the last time: {printable(change)}", soft_wrap=True)


def finish(ended: Ended, folder: Path, command: str, *, aside: bool = False) -> None:
    """Say what came of it, and show the standings or print them for a program."""
    console = screen(aside=aside)
    say_how_it_ended(console, ended, folder, command)
    standings = look(folder)
    if aside:
        print_json(standings)
    elif any(line.rank for line in standings.overall.lines):
        console.print()
        ranking.show(console, standings, standings.overall, legend=False)
        run = printable(shlex.quote(str(folder)))
        paragraph(
            console,
            f"arena standings {run} says what the columns mean; arena crosstable {run} and "
            f"arena games {run} show more.",
            style="dim",
        )


def say_how_it_ended(console: Console, ended: Ended, folder: Path, command: str) -> None:
    """What was played, and what to do next."""
    progress = ended.progress
    kept = f"{count(progress.blocks, 'block')}, {count(progress.games, 'game')}"
    again = Text.assemble("To go on: ", (printable(command), "bold"))
    if ended.interrupted:
        console.print(f"\nInterrupted. {kept} are kept; nothing of them is lost.", soft_wrap=True)
        console.print(again, soft_wrap=True)
        return
    if ended.parked:
        for what in ended.parked:
            console.print(Text(f"Not played: {printable(what)}", "red"), soft_wrap=True)
        console.print(f"{printable(str(folder / 'log.txt'))} says more.", soft_wrap=True)
        console.print(again, soft_wrap=True)
    elif ended.verdict and ended.verdict.done and progress.blocks < progress.of_blocks:
        console.print("Stopped early, for the order is known.")
    if not progress.fresh:
        console.print(f"Nothing was left to play: {kept} are kept.", soft_wrap=True)
        return
    rate = progress.fresh / max(progress.seconds, 0.001)
    console.print(
        f"{count(progress.fresh, 'game')} in {clock(progress.seconds)}, {rate:,.1f} games/s; "
        f"{kept} in {printable(str(folder))}",
        soft_wrap=True,
    )
