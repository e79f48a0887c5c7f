"""The conduct of a night: begun or gone on with, played, reckoned up, and ended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ladder import reckoning, telling
from arena.ladder.audit import results_hash
from arena.ladder.facts import Aim, Night, Summary, Version
from arena.ladder.field import Player, players
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking import largest_table
from arena.ladder.night import salt
from arena.ladder.registry import Registry
from arena.ladder.retirement import retiring
from arena.report.build import Built
from arena.store.database import BadRun, explained
from arena.store.run import Run

Say = Callable[[str], None]
"""Is told what is done next."""


@dataclass(frozen=True)
class Evening:
    """A night that can be played: what it is, and who plays."""

    night: Night
    who: Sequence[Player]
    left_out: Sequence[tuple[str, str]]
    new: bool
    """Whether it begins now, and not before somebody was interrupted."""


def over(ladder: Ladder, registry: Registry, night: Night) -> bool:
    """Whether nothing more can be played in a night: its time is over, or its bots are gone."""
    if night.summary or night.aim.late:
        return True
    who, _ = players(ladder, members(registry, night))
    return largest_table(one.version.owner for one in who) < fewest(ladder)


def fewest(ladder: Ladder) -> int:
    """Bots that the smallest table needs."""
    return min(cell.seats for cell in ladder.settings.cells)


def members(registry: Registry, night: Night) -> list[Version]:
    """The versions that play in a night that was begun."""
    return [one for one in registry.versions() if one.bot in night.bots]


Unable = Callable[[Sequence[Player]], Mapping[str, str]]
"""Tells which of some bots nobody can play tonight, and why."""


def evening(
    ladder: Ladder,
    registry: Registry,
    aim: Aim,
    unable: Unable = lambda _who: {},
    *,
    asked: bool = False,
) -> Evening:
    """The night that goes on, or else a new one with this aim.

    A night that goes on gets the aim as well if it was `asked` for, and else keeps its own.
    """
    night = registry.open_night()
    if night is not None:
        night = registry.change_aim(night, resumed(night.aim, aim, asked=asked))
    versions = members(registry, night) if night else registry.active()
    found, left_out = players(ladder, versions)
    missing = unable(found)
    who = [one for one in found if one.bot.name not in missing]
    left_out += missing.items()
    if night is not None:
        return Evening(night, who, left_out, new=False)
    needed = fewest(ladder)
    if largest_table(one.version.owner for one in who) < needed:
        bots = "1 bot" if len(who) == 1 else f"{len(who)} bots"
        raise ArenaError(
            f"{ladder.folder} has {bots} that can play, and a table needs {needed}"
            f"{' of different owners' if len(who) >= needed else ''}; submit more, "
            "or make it with --with-reference"
        )
    night = registry.new_night(aim, (one.version.bot for one in who))
    return Evening(night, who, left_out, new=True)


def resumed(old: Aim, new: Aim, *, asked: bool) -> Aim:
    """The aim of a night that goes on; it ends in any case, so that the next one can begin.

    Tables follow from the size of the rounds, which therefore stays.
    """
    if asked:
        return replace(new, round=old.round)
    return old if old.until is not None else replace(old, until=new.until)


def settle(ladder: Ladder, run: Run, registry: Registry) -> None:
    """Bring the header of the ladder's run up to date with its settings and versions."""
    ladder.check(run)
    told: list[Version] | None = None
    while (versions := registry.versions()) != told:  # somebody may be accepted at any moment
        header = ladder.header(versions, run.header.seed, run.header.created)
        try:
            run.update(header, copied=False)
            told = versions
        except BadRun:
            if registry.versions() == versions:
                raise


def reckon(
    ladder: Ladder,
    registry: Registry,
    night: Night,
    seconds: float,
    left_out: Sequence[tuple[str, str]] = (),
) -> Summary:
    """What a night has changed; a reader's look, so that all that is stored shows."""
    with Run.open(ladder.folder) as run:
        cells = ladder.settings.cells
        versions = registry.versions()
        known, last = published(registry, night)
        before = reckoning.rated(run, cells, last)
        after = reckoning.rated(run, cells)
        retired = retiring(ladder, run, night, versions)
        gone = {bot for bot, _ in retired}
        active = {one.bot for one in versions if one.state == "active"} - gone
        absent = {bot for bot, _ in left_out}
        seated = [one.owner for one in versions if one.bot in {*night.bots} - absent]
        counted = registry.counted()
        now = reckoning.counted_now(run, after, active, absent, counted)
        old = reckoning.table(run, before, known, counted)
        new = reckoning.table(run, after, active, {*now})
        blocks, games, newest = played(run, night)
    largest = largest_table(seated)
    ranked = {line.bot for line in old.lines if line.rank is not None}
    summary = Summary(
        blocks=blocks,
        games=games,
        seconds=seconds,
        new=tuple(line.bot for line in new.lines if line.rank and line.bot not in ranked),
        retired=tuple(retired),
        moves=tuple(reckoning.moves(old, new)),
        left_out=tuple(left_out),
        too_large=tuple(str(cell) for cell in cells if cell.seats > largest),
        last=newest,
        counted=now,
    )
    with Run.open(ladder.folder) as run:
        return replace(summary, results=results_hash(run, registry.nights(), night, summary))


def published(registry: Registry, night: Night) -> tuple[set[str], int]:
    """Who was in the standings on the morning before a night, and the last block they came from."""
    for one in reversed(registry.nights()):
        if one.number < night.number and one.summary is not None:
            return set(one.bots) - {bot for bot, _ in one.summary.retired}, one.summary.last
    return set(), 0


def played(run: Run, night: Night) -> tuple[int, int, int]:
    """The blocks and games of a night, and the number of its last block."""
    with explained(run.file):
        blocks, games, last = run.connection.execute(
            "SELECT count(*), coalesce(sum(games), 0), coalesce(max(block.id), ?) FROM block"
            " JOIN session ON session.id = session WHERE salt = ?",
            (night.last, salt(night.number)),
        ).fetchone()
    return int(blocks), int(games), int(last)


def finish(  # noqa: PLR0913, PLR0917 (what the end of a night needs)
    ladder: Ladder,
    run: Run,
    registry: Registry,
    night: Night,
    say: Say,
    played: tuple[float, Sequence[tuple[str, str]]] = (0.0, ()),
) -> tuple[Summary, Built]:
    """Reckon up a night and write the pages; who was killed goes on with the step that is left.

    `played` are the seconds that were played just now, and the versions that could not be.
    """
    summary = night.summary
    if summary is None:
        say("Rating all games.")
        summary = reckon(ladder, registry, night, *played)
        registry.sum_up(night.number, summary)
        settle(ladder, run, registry)  # who is retired is no anchor any more
    say("Writing the pages.")
    built = telling.written(ladder)
    registry.end_night(night.number)
    return summary, built
