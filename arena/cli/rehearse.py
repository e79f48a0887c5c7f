"""`arena replay FILE --bot BOT`: what a bot would have chosen in a recorded game."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.cards import NUMBER
from arena.cli.output import Screen, print_json
from arena.cli.untrusted import printable, safe
from arena.cli.verdict import show_faults
from arena.cli.viewing.faces import cards
from arena.match.record import Record
from arena.match.rehearsal import Answer, Rehearsed, rehearse
from arena.match.terms import Terms


def run(record: Record, bot: Bot, seat: int, terms: Terms, *, as_json: bool) -> bool:
    """Ask the bot, and print where it chose otherwise; whether it was without fault."""
    with Launcher(terms.sandbox) as launcher:
        found = rehearse(record, seat, bot, launcher, terms)
    if as_json:
        print_json(found)
    else:
        show(found, Screen())
    return not found.faults


def show(found: Rehearsed, console: Console) -> None:
    """What it chose, for a person to read."""
    others = [one for one in found.answers if one.choice is not None and not one.agrees]
    if others:
        console.print(table(others))
        console.print()
    if found.faults:
        show_faults(console, [found.bot] * (found.seat + 1), found.faults)
        console.print()
    count, faults = len(found.answers), len(found.faults)
    console.print(
        Text.assemble(
            (printable(found.bot), "bold"),
            f" in seat {found.seat} agrees in {found.agrees} of {count} decisions, ",
            (f"{faults} fault{'' if faults == 1 else 's'}", "bold red" if faults else ""),
        )
    )


def table(answers: list[Answer]) -> Table:
    """Decisions, one on each line."""
    board = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
    board.add_column("round", justify="right")
    board.add_column("trick", justify="right")
    for title in ("kind", "recorded", "chosen"):
        board.add_column(title, no_wrap=True)
    board.add_column("note", overflow="fold")
    for answer in answers:
        board.add_row(
            counted(answer.round),
            counted(answer.trick),
            answer.kind,
            token(answer.recorded),
            token(answer.choice or ""),
            safe(answer.note or "", "dim"),
        )
    return board


def counted(number: int | None) -> str:
    """A round or trick as people count, from 1."""
    return "" if number is None else str(number + 1)


def token(choice: str) -> Text:
    """A choice; cards in their colours."""
    parts = choice.split("+")
    return cards(parts) if all(part in NUMBER for part in parts) else safe(choice)
