"""Begin or resume a night, summarize what it changed, and finish it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ladder import pages, standings
from arena.ladder.audit import results_hash
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking.matchmaker import largest_table
from arena.ladder.models import Aim, Night, Summary, Version
from arena.ladder.night import NightEntrant, load_entrants, salt
from arena.ladder.registry import Registry
from arena.ladder.standings import versions_to_retire
from arena.report.build import BuiltReport
from arena.store.database import BadRun, explain_errors
from arena.store.run import Run

StatusCallback = Callable[[str], None]
"""Is told what is done next."""


@dataclass(frozen=True)
class NightPlan:
    """A night that can be played: what it is, and who plays."""

    night: Night
    entrants: Sequence[NightEntrant]
    left_out: Sequence[tuple[str, str]]
    is_new: bool
    """Whether it begins now, and not before somebody was interrupted."""


def is_over(ladder: Ladder, registry: Registry, night: Night) -> bool:
    """Whether nothing more can be played in a night: its time is over, or its bots are gone."""
    if night.summary or night.aim.is_time_up:
        return True
    who, _ = load_entrants(ladder, night_versions(registry, night))
    return largest_table(one.version.owner for one in who) < smallest_table(ladder)


def smallest_table(ladder: Ladder) -> int:
    """Bots that the smallest table needs."""
    return min(cell.seats for cell in ladder.settings.cells)


def night_versions(registry: Registry, night: Night) -> list[Version]:
    """The versions that play in a night that was begun."""
    return [one for one in registry.versions() if one.bot in night.bots]


UnplayableCheck = Callable[[Sequence[NightEntrant]], Mapping[str, str]]
"""Tells which of some bots nobody can play tonight, and why."""


def begin_or_resume(
    ladder: Ladder,
    registry: Registry,
    aim: Aim,
    find_unplayable: UnplayableCheck = lambda _who: {},
    *,
    is_explicit: bool = False,
) -> NightPlan:
    """The night that goes on, or else a new one with this aim.

    A night that goes on gets the aim as well if it was `asked` for, and else keeps its own.
    """
    night = registry.open_night()
    if night is not None:
        night = registry.change_aim(night, resumed_aim(night.aim, aim, is_explicit=is_explicit))
    versions = night_versions(registry, night) if night else registry.active_versions()
    found, left_out = load_entrants(ladder, versions)
    missing = find_unplayable(found)
    who = [one for one in found if one.bot.name not in missing]
    left_out += missing.items()
    if night is not None:
        return NightPlan(night, who, left_out, is_new=False)
    needed = smallest_table(ladder)
    if largest_table(one.version.owner for one in who) < needed:
        bots = "1 bot" if len(who) == 1 else f"{len(who)} bots"
        raise ArenaError(
            f"{ladder.folder} has {bots} that can play, and a table needs {needed}"
            f"{' of different owners' if len(who) >= needed else ''}; submit more, "
            "or make it with --with-reference"
        )
    night = registry.begin_night(aim, (one.version.bot for one in who))
    return NightPlan(night, who, left_out, is_new=True)


def resumed_aim(old: Aim, new: Aim, *, is_explicit: bool) -> Aim:
    """The aim of a night that goes on; it ends in any case, so that the next one can begin.

    Tables follow from the size of the rounds, which therefore stays.
    """
    if is_explicit:
        return replace(new, round=old.round)
    return old if old.until is not None else replace(old, until=new.until)


def update_header(ladder: Ladder, run: Run, registry: Registry) -> None:
    """Bring the header of the ladder's run up to date with its settings and versions."""
    ladder.check_settings(run)
    told: list[Version] | None = None
    while (versions := registry.versions()) != told:  # somebody may be accepted at any moment
        header = ladder.run_header(versions, run.header.seed, run.header.created)
        try:
            run.update(header, copy_file=False)
            told = versions
        except BadRun:
            if registry.versions() == versions:
                raise


def summarize_night(
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
        known, last = previous_standings(registry, night)
        before = standings.cell_ratings(run, cells, last)
        after = standings.cell_ratings(run, cells)
        retired = versions_to_retire(ladder, run, night, versions)
        gone = {bot for bot, _ in retired}
        active = {one.bot for one in versions if one.state == "active"} - gone
        absent = {bot for bot, _ in left_out}
        seated = [one.owner for one in versions if one.bot in {*night.bots} - absent]
        counted = registry.counted_cells()
        now = standings.counted_cells(run, after, active, absent, counted)
        old = standings.overall_table(run, before, known, counted)
        new = standings.overall_table(run, after, active, {*now})
        blocks, games, newest = night_totals(run, night)
    largest = largest_table(seated)
    ranked = {line.bot for line in old.lines if line.rank is not None}
    summary = Summary(
        blocks=blocks,
        games=games,
        seconds=seconds,
        new=tuple(line.bot for line in new.lines if line.rank and line.bot not in ranked),
        retired=tuple(retired),
        moves=tuple(standings.rank_changes(old, new)),
        left_out=tuple(left_out),
        too_large=tuple(str(cell) for cell in cells if cell.seats > largest),
        last=newest,
        counted=now,
    )
    with Run.open(ladder.folder) as run:
        return replace(summary, results=results_hash(run, registry.nights(), night, summary))


def previous_standings(registry: Registry, night: Night) -> tuple[set[str], int]:
    """Who was in the standings on the morning before a night, and the last block they came from."""
    for one in reversed(registry.nights()):
        if one.number < night.number and one.summary is not None:
            return set(one.bots) - {bot for bot, _ in one.summary.retired}, one.summary.last
    return set(), 0


def night_totals(run: Run, night: Night) -> tuple[int, int, int]:
    """The blocks and games of a night, and the number of its last block."""
    with explain_errors(run.file):
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
    on_status: StatusCallback,
    played: tuple[float, Sequence[tuple[str, str]]] = (0.0, ()),
) -> tuple[Summary, BuiltReport]:
    """Reckon up a night and write the pages; who was killed goes on with the step that is left.

    `played` are the seconds that were played just now, and the versions that could not be.
    """
    summary = night.summary
    if summary is None:
        on_status("Rating all games.")
        summary = summarize_night(ladder, registry, night, *played)
        registry.save_summary(night.number, summary)
        update_header(ladder, run, registry)  # who is retired is no anchor any more
    on_status("Writing the pages.")
    built = pages.write_site(ladder)
    registry.end_night(night.number)
    return summary, built
