"""`arena replay`: a recorded game seen again, as a whole or in part."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.text import Text

from arena.bots.bot import find
from arena.bots.sandbox.level import Level
from arena.cli import rehearse
from arena.cli.output import Screen
from arena.cli.viewing.scene import Scene
from arena.cli.viewing.story import Excerpt, Story
from arena.cli.viewing.tempo import pause, speed_option
from arena.cli.walls import given, sandbox_options, workshop
from arena.errors import ArenaError, BadRecord
from arena.games.replay import Step
from arena.match.record import Record, again, at, load
from arena.match.terms import Terms
from arena.protocol.messages import Limits

INTERRUPTED = 130
"""What a shell expects of a program that ends on Ctrl-C."""


class NotThere(ArenaError):
    """A game, round, trick or seat that the file does not hold."""


@dataclass(frozen=True)
class Found:
    """A game from a file, and what is asked of it."""

    record: Record
    number: int
    games: int
    steps: tuple[Step, ...]
    excerpt: Excerpt
    from_seat: int | None


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
    level: Level | None,
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
    complain(bot=bot, seat=seat, as_json=as_json, watch=watch, events=events)
    if bot is None and (alone := given(level, network=network)):
        raise click.UsageError(f"{alone[0]} goes with --bot; else no bot is run.")
    record, games = pick(file, number)
    try:
        steps = tuple(again(record))
    except ArenaError as error:
        raise at(file, number, error) from error
    for one in (seat, from_seat):
        if one is not None:
            check_seat(record, one)
    if bot is not None and seat is not None:
        shop = workshop(level, network=network)
        limits = None if no_clock else Limits()
        terms = Terms(limits=limits, sandbox=shop.sandbox)
        if not rehearse.run(record, find(bot, shop), seat, terms, as_json=as_json):
            raise click.exceptions.Exit(1)
        return
    found = Found(record, number, games, steps, cut(steps, round_, trick), from_seat)
    if events:
        print_events(found)
    else:
        print_scene(found, speed if watch else None)


def complain(
    *, bot: Path | None, seat: int | None, as_json: bool, watch: bool, events: bool
) -> None:
    """Refuse options that mean nothing together."""
    if (bot is None) != (seat is None):
        raise click.UsageError("--bot and --seat go together: which bot, asked for which seat?")
    if as_json and bot is None:
        raise click.UsageError("--json goes with --bot; the events of a game come with --events.")
    if watch and events:
        raise click.UsageError("--watch is for people and --events for programs; choose one.")


def pick(file: Path, number: int) -> tuple[Record, int]:
    """The game asked for, and how many there are."""
    records = list(load(file))
    if not 1 <= number <= len(records):
        raise NotThere(f"{file} holds {plural(len(records), 'game')}, there is no game {number}")
    record = records[number - 1]
    if len(record.bots) != record.seats:
        reason = BadRecord(f"{len(record.bots)} bots in {record.seats} seats")
        raise at(file, number, reason)
    return record, len(records)


def check_seat(record: Record, seat: int) -> None:
    """Refuse a seat that is not at the table."""
    if not 0 <= seat < record.seats:
        last = record.seats - 1
        raise NotThere(f"seats are counted from 0 to {last} in this game, there is no seat {seat}")


def cut(steps: Sequence[Step], round_: int | None, trick: int | None) -> Excerpt:
    """The part of the game asked for, if it is there."""
    if round_ is None:
        if trick is not None:
            raise NotThere(f"which round's trick {trick}? Say --round as well")
        return Excerpt()
    story, tricks = Story(), dict[int, int]()
    for step in steps:
        for told in story.tell(step):
            if told.round is not None:
                seen = tricks.get(told.round, 0)
                tricks[told.round] = seen if told.trick is None else told.trick + 1
    if round_ - 1 not in tricks:
        raise NotThere(f"this game has {plural(len(tricks), 'round')}, there is no round {round_}")
    count = tricks[round_ - 1]
    if trick is not None and not 1 <= trick <= count:
        raise NotThere(f"round {round_} has {plural(count, 'trick')}, there is no trick {trick}")
    return Excerpt(round_ - 1, None if trick is None else trick - 1)


def plural(count: int, thing: str) -> str:
    """So many of them."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def print_events(found: Found) -> None:
    """The events as JSON, one on each line."""
    story = Story(found.from_seat)
    for step in found.steps:
        for told in story.tell(step):
            if found.excerpt.holds(told):
                click.echo(told.line())


def print_scene(found: Found, speed: float | None) -> None:
    """The game for a person to follow, with pauses if there is a speed."""
    console = Screen()
    record = found.record
    which = f"game {found.number} of {found.games}, " if found.games > 1 else ""
    console.print(Text(f"{which}seed {record.seed}", "dim"))
    scene = Scene(
        console,
        [bot.name for bot in record.bots],
        found.from_seat,
        excerpt=found.excerpt,
        live=speed is not None,
    )
    try:
        for step in found.steps:
            shown = scene.show(step, notes=record.notes, faults=record.faults, wall=record.wall)
            if speed and shown and console.is_terminal:
                time.sleep(pause(step, speed))
    except KeyboardInterrupt:
        scene.leave()
        raise click.exceptions.Exit(INTERRUPTED) from None
    if record.stopped and found.excerpt.round is None:
        scene.broken_off(record.faults)
