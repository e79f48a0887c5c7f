"""Begin or resume a night, summarize what it changed, and finish it."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.ladder import pages, standings
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking.matchmaker import largest_table
from arena.ladder.models import MAX_TEXT, Night, NightLimits, NightSummary, Version, shorten
from arena.ladder.registry import Registry
from arena.ladder.standings import versions_to_retire
from arena.ladder.verify import results_hash
from arena.report.build import BuiltReport
from arena.store.database import BadRun
from arena.store.run import Run
from arena.text import plural

LOG = logging.getLogger(__name__)

MIN_TABLES: Final = 8
"""The fewest tables of a round."""
TABLES_PER_WORKER: Final = 2
"""Tables of a round for each worker, so that no worker has to wait for the others."""

StatusCallback = Callable[[str], None]
"""Is called with a sentence on the next step."""


@dataclass(frozen=True)
class NightEntrant:
    """A version that plays in a night."""

    version: Version
    bot: Bot
    path: str


@dataclass(frozen=True)
class NightPlan:
    """A night that is about to be played, and who takes part."""

    night: Night
    entrants: Sequence[NightEntrant]
    left_out: Sequence[tuple[str, str]]
    """Versions that cannot be played, and why."""
    is_new: bool
    """Whether it begins now; False if it is resumed."""


def load_entrants(
    ladder: Ladder, versions: Iterable[Version]
) -> tuple[list[NightEntrant], list[tuple[str, str]]]:
    """The versions that can be run here, and those that cannot, with the reason."""
    entrants, left_out = [], []
    for version in versions:
        try:
            path = ladder.version_path(version.digest)
            entrants.append(NightEntrant(version, ladder.load_bot(version), str(path)))
        except ArenaError as error:
            text = shorten(str(error).partition("\n")[0], MAX_TEXT)
            LOG.warning("%s cannot be played tonight: %s", version.bot, text)
            left_out.append((version.bot, text))
    return entrants, left_out


def make_night_limits(games: int | None, end: datetime | None, workers: int) -> NightLimits:
    """Make the limits of a night that ends after some games or at a time, on so many workers."""
    return NightLimits(
        round=max(MIN_TABLES, TABLES_PER_WORKER * workers),
        games=games,
        until=None if end is None else end.isoformat(timespec="seconds"),
    )


def is_night_over(ladder: Ladder, registry: Registry, night: Night) -> bool:
    """Whether nothing more can be played in a night: its time is up, or its bots are gone."""
    if night.summary or night.aim.is_time_up:
        return True
    entrants, _ = load_entrants(ladder, night_versions(registry, night))
    return largest_table(one.version.owner for one in entrants) < smallest_table(ladder)


def smallest_table(ladder: Ladder) -> int:
    """The seats of the smallest table."""
    return min(cell.seats for cell in ladder.settings.cells)


def night_versions(registry: Registry, night: Night) -> list[Version]:
    """The versions that take part in a night."""
    return [one for one in registry.versions() if one.bot in night.bots]


UnplayableCheck = Callable[[Sequence[NightEntrant]], Mapping[str, str]]
"""Returns which of some entrants no worker can play tonight, and why."""


def begin_or_resume_night(
    ladder: Ladder,
    registry: Registry,
    aim: NightLimits,
    find_unplayable: UnplayableCheck = lambda _entrants: {},
    *,
    is_explicit: bool = False,
) -> NightPlan:
    """Resume the open night, or else begin a new one with these limits.

    A resumed night gets these limits if they are explicit, and keeps its own otherwise.
    """
    night = registry.open_night()
    if night is not None:
        night = registry.change_limits(
            night, resumed_limits(night.aim, aim, is_explicit=is_explicit)
        )
    versions = night_versions(registry, night) if night else registry.active_versions()
    loaded, left_out = load_entrants(ladder, versions)
    unplayable = find_unplayable(loaded)
    entrants = [one for one in loaded if one.bot.name not in unplayable]
    left_out += unplayable.items()
    if night is not None:
        return NightPlan(night, entrants, left_out, is_new=False)
    needed = smallest_table(ladder)
    if largest_table(one.version.owner for one in entrants) < needed:
        bots = plural(len(entrants), "bot")
        raise ArenaError(
            f"{ladder.folder} has {bots} that can play, and a table needs {needed}"
            f"{' of different owners' if len(entrants) >= needed else ''}; submit more, "
            "or make it with --with-reference"
        )
    night = registry.begin_night(aim, (one.version.bot for one in entrants))
    return NightPlan(night, entrants, left_out, is_new=True)


def resumed_limits(old: NightLimits, new: NightLimits, *, is_explicit: bool) -> NightLimits:
    """The limits of a resumed night; it has an end, so that the next night can begin.

    The size of the rounds stays, because the tables follow from it.
    """
    if is_explicit:
        return replace(new, round=old.round)
    return old if old.until is not None else replace(old, until=new.until)


def update_run_header(ladder: Ladder, run: Run, registry: Registry) -> None:
    """Bring the header of the ladder's run up to date with its settings and versions."""
    ladder.check_settings(run)
    written: list[Version] | None = None
    while (versions := registry.versions()) != written:  # one may be accepted at any moment
        header = ladder.run_header(versions, run.header.seed, run.header.created)
        try:
            run.update(header, copy_file=False)
            written = versions
        except BadRun:
            if registry.versions() == versions:
                raise


def summarize_night(
    ladder: Ladder,
    registry: Registry,
    night: Night,
    seconds: float,
    left_out: Sequence[tuple[str, str]] = (),
) -> NightSummary:
    """Compute what a night changed, from all that is stored."""
    with Run.open(ladder.folder) as run:
        cells = ladder.settings.cells
        versions = registry.versions()
        ranked_before, last = previous_standings(registry, night)
        before = standings.cell_ratings(run, cells, last)
        after = standings.cell_ratings(run, cells)
        retired = versions_to_retire(ladder, run, night, versions)
        gone = {bot for bot, _ in retired}
        active = {one.bot for one in versions if one.state == "active"} - gone
        absent = {bot for bot, _ in left_out}
        owners = [one.owner for one in versions if one.bot in {*night.bots} - absent]
        old_cells = registry.counted_cells()
        new_cells = standings.counted_cells(run, after, active, absent, old_cells)
        old = standings.overall_table(run, before, ranked_before, old_cells)
        new = standings.overall_table(run, after, active, {*new_cells})
        blocks, games, newest = Registry.of_run(run).night_totals(night)
    largest = largest_table(owners)
    ranked = {line.bot for line in old.lines if line.rank is not None}
    summary = NightSummary(
        blocks=blocks,
        games=games,
        seconds=seconds,
        new=tuple(line.bot for line in new.lines if line.rank and line.bot not in ranked),
        retired=tuple(retired),
        moves=tuple(standings.rank_changes(old, new)),
        left_out=tuple(left_out),
        too_large=tuple(str(cell) for cell in cells if cell.seats > largest),
        last=newest,
        counted=new_cells,
    )
    with Run.open(ladder.folder) as run:
        return replace(summary, results=results_hash(run, registry.nights(), night, summary))


def previous_standings(registry: Registry, night: Night) -> tuple[set[str], int]:
    """The versions in the standings before a night, and the last block these were made from."""
    for one in reversed(registry.nights()):
        if one.number < night.number and one.summary is not None:
            return set(one.bots) - {bot for bot, _ in one.summary.retired}, one.summary.last
    return set(), 0


def finish_night(  # noqa: PLR0913, PLR0917 (what the end of a night needs)
    ladder: Ladder,
    run: Run,
    registry: Registry,
    night: Night,
    on_status: StatusCallback,
    played: tuple[float, Sequence[tuple[str, str]]] = (0.0, ()),
) -> tuple[NightSummary, BuiltReport]:
    """Summarize a night and write the pages; after a kill only the missing steps are repeated.

    `played` are the seconds that this session played, and the versions that could not be played.
    """
    summary = night.summary
    if summary is None:
        on_status("Rating all games.")
        summary = summarize_night(ladder, registry, night, *played)
        registry.save_summary(night.number, summary)
        update_run_header(ladder, run, registry)  # a retired bot is no longer an anchor
    on_status("Writing the pages.")
    built = pages.write_site(ladder)
    registry.end_night(night.number)
    return summary, built
