"""The command `arena replay`: show a recorded game, or ask a bot about its decisions."""

import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.bots.bot import load_bot
from arena.bots.sandbox.limits import SandboxLevel
from arena.cards import NUMBER
from arena.cli.faults_view import show_faults
from arena.cli.game_view.cards import cards_text
from arena.cli.game_view.event_tracker import EventTracker, Excerpt
from arena.cli.game_view.render import GameRenderer, pause_seconds
from arena.cli.main import SIGNAL_STATUS_BASE
from arena.cli.options import (
    build_settings,
    sandbox_arguments,
    sandbox_options,
    speed_option,
)
from arena.cli.output import SafeConsole, print_json, safe_text
from arena.errors import ArenaError, BadRecord
from arena.games.replay import Step
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.record import Record, error_in_game, load_records, replay_steps
from arena.referee.recorded_questions import ReaskedChoice, ReaskedGame, reask_seat
from arena.sanitize import printable
from arena.text import plural


def show_choices(reasked: ReaskedGame, console: Console) -> None:
    """Print the decisions in which the bot chose otherwise."""
    differing = [
        answer for answer in reasked.answers if answer.choice is not None and not answer.agrees
    ]
    if differing:
        console.print(choices_table(differing))
        console.print()
    if reasked.faults:
        show_faults(console, [reasked.bot] * (reasked.seat + 1), reasked.faults)
        console.print()
    count, faults = len(reasked.answers), len(reasked.faults)
    console.print(
        Text.assemble(
            (printable(reasked.bot), "bold"),
            f" in seat {reasked.seat} agrees in {reasked.agrees} of {count} decisions, ",
            (plural(faults, "fault"), "bold red" if faults else ""),
        )
    )


def choices_table(answers: list[ReaskedChoice]) -> Table:
    """A table of decisions, one in each row."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
    table.add_column("round", justify="right")
    table.add_column("trick", justify="right")
    for title in ("kind", "recorded", "chosen"):
        table.add_column(title, no_wrap=True)
    table.add_column("note", overflow="fold")
    for answer in answers:
        table.add_row(
            one_based(answer.round),
            one_based(answer.trick),
            answer.kind,
            choice_text(answer.recorded),
            choice_text(answer.choice or ""),
            safe_text(answer.note or "", "dim"),
        )
    return table


def one_based(number: int | None) -> str:
    """The number of a round or trick, counted from 1."""
    return "" if number is None else str(number + 1)


def choice_text(choice: str) -> Text:
    """A choice, with cards in their colours."""
    parts = choice.split("+")
    return cards_text(parts) if all(part in NUMBER for part in parts) else safe_text(choice)


class PositionNotFound(ArenaError):
    """A game, round, trick or seat that the file does not hold."""


@click.command(short_help="Show a recorded game again.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", "number", default=1, show_default=True, help="Which game in FILE, from 1.")
@click.option("--from", "from_seat", type=int, metavar="SEAT", help="Only what this seat sees.")
@click.option("--round", "round_", type=int, metavar="R", help="Only this round, from 1.")
@click.option("--trick", type=int, metavar="T", help="Only this trick of the round, from 1.")
@click.option("--watch", is_flag=True, help="Card by card, as if it were played now.")
@speed_option
@click.option("--events", is_flag=True, help="Every event as one JSON object on a line.")
@click.option(
    "--bot",
    type=click.Path(path_type=Path),
    help="Ask this bot what it would have chosen in a seat (--seat).",
)
@click.option("--seat", type=int, help="With --bot: the seat whose decisions it is asked.")
@click.option("--no-clock", is_flag=True, help="With --bot: let it take its time.")
@click.option("--json", "as_json", is_flag=True, help="With --bot: one JSON object, for programs.")
@sandbox_options
def replay(  # noqa: PLR0913 (one for each option)
    *,
    file: Path,
    number: int,
    from_seat: int | None,
    round_: int | None,
    trick: int | None,
    watch: bool,
    speed: float,
    events: bool,
    bot: Path | None,
    seat: int | None,
    no_clock: bool,
    as_json: bool,
    level: SandboxLevel | None,
    network: bool,
) -> None:
    """Show a game from FILE, which holds records, one on each line.

    Rounds, tricks and games are counted from 1, seats from 0. --round and --trick show the hands
    as they stood. With --watch there are pauses, unless the output goes into a file or a pipe.

    --events is for programs: an event has a name in `event`, the fields of its kind, `to` (the only
    seats that see it; absent: everybody), and the `step`, `round` and `trick` it happened in, which
    count from 0 and are null outside of rounds and tricks.

    --bot starts a bot and puts to it the decisions of one seat, one after another, as they were;
    the game goes on as recorded, whatever it answers. Exit status: 1 if it was at fault, else 0.
    """
    check_options(bot=bot, seat=seat, as_json=as_json, watch=watch, events=events)
    if bot is None and (unused := sandbox_arguments(level, network=network)):
        raise click.UsageError(f"{unused[0]} goes with --bot; else no bot is run.")
    record, games = load_game(file, number)
    try:
        steps = tuple(replay_steps(record))
    except ArenaError as error:
        raise error_in_game(file, number, error) from error
    for seat_number in (seat, from_seat):
        if seat_number is not None:
            check_seat(record, seat_number)
    if bot is not None and seat is not None:
        builds = build_settings(level, network=network)
        limits = None if no_clock else Limits()
        config = RefereeConfig(limits=limits, sandbox=builds.sandbox)
        reasked = reask_seat(record, seat, load_bot(bot, builds), config)
        if as_json:
            print_json(reasked)
        else:
            show_choices(reasked, SafeConsole())
        if reasked.faults:
            raise click.exceptions.Exit(1)
        return
    excerpt = find_excerpt(steps, round_, trick)
    if events:
        print_events(steps, excerpt, from_seat)
        return
    title = f"game {number} of {games}, " if games > 1 else ""
    print_game(record, steps, speed if watch else None, excerpt, from_seat, title=title)


def check_options(
    *, bot: Path | None, seat: int | None, as_json: bool, watch: bool, events: bool
) -> None:
    """Raise a usage error for options that mean nothing together."""
    if (bot is None) != (seat is None):
        raise click.UsageError("--bot and --seat go together: which bot, asked for which seat?")
    if as_json and bot is None:
        raise click.UsageError("--json goes with --bot; the events of a game come with --events.")
    if watch and events:
        raise click.UsageError("--watch is for people and --events for programs; choose one.")


def load_game(file: Path, number: int) -> tuple[Record, int]:
    """The game of this number, and how many games the file has."""
    records = list(load_records(file))
    if not 1 <= number <= len(records):
        raise PositionNotFound(
            f"{file} holds {plural(len(records), 'game')}, there is no game {number}"
        )
    record = records[number - 1]
    if len(record.bots) != record.seats:
        reason = BadRecord(f"{len(record.bots)} bots in {record.seats} seats")
        raise error_in_game(file, number, reason)
    return record, len(records)


def check_seat(record: Record, seat: int) -> None:
    """Raise an error if the game has no such seat."""
    if not 0 <= seat < record.seats:
        last = record.seats - 1
        raise PositionNotFound(
            f"seats are counted from 0 to {last} in this game, there is no seat {seat}"
        )


def find_excerpt(steps: Sequence[Step], round_: int | None, trick: int | None) -> Excerpt:
    """The part of the game to print; an error if the game has no such round or trick."""
    if round_ is None:
        if trick is not None:
            raise PositionNotFound(f"which round's trick {trick}? Say --round as well")
        return Excerpt()
    tracker, tricks = EventTracker(), dict[int, int]()
    for step in steps:
        for event in tracker.step_events(step):
            if event.round is not None:
                seen = tricks.get(event.round, 0)
                tricks[event.round] = seen if event.trick is None else event.trick + 1
    if round_ - 1 not in tricks:
        raise PositionNotFound(
            f"this game has {plural(len(tricks), 'round')}, there is no round {round_}"
        )
    count = tricks[round_ - 1]
    if trick is not None and not 1 <= trick <= count:
        raise PositionNotFound(
            f"round {round_} has {plural(count, 'trick')}, there is no trick {trick}"
        )
    return Excerpt(round_ - 1, None if trick is None else trick - 1)


def print_events(steps: Iterable[Step], excerpt: Excerpt, from_seat: int | None) -> None:
    """Print the events as JSON, one in each line."""
    tracker = EventTracker(from_seat)
    for step in steps:
        for event in tracker.step_events(step):
            if excerpt.contains(event):
                click.echo(event.to_json())


def print_game(  # noqa: PLR0913 (one for each option)
    record: Record,
    steps: Iterable[Step],
    speed: float | None,
    excerpt: Excerpt | None = None,
    from_seat: int | None = None,
    *,
    title: str = "",
) -> None:
    """Print the game for a person, with pauses if there is a speed."""
    console = SafeConsole()
    console.print(Text(f"{title}seed {record.seed}", "dim"))
    names = [bot.name for bot in record.bots]
    renderer = GameRenderer(console, names, from_seat, excerpt=excerpt, live=speed is not None)
    try:
        for step in steps:
            shown = renderer.show_step(
                step, notes=record.notes, faults=record.faults, wall=record.wall
            )
            if speed and shown and console.is_terminal:
                time.sleep(pause_seconds(step, speed))
    except KeyboardInterrupt:
        renderer.finish_line()
        raise click.exceptions.Exit(SIGNAL_STATUS_BASE + signal.SIGINT) from None
    if record.stopped and (excerpt is None or excerpt.round is None):
        renderer.print_aborted(record.faults)
