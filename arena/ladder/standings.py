"""Standings of a ladder's versions from all games so far, and which versions to retire."""

from collections.abc import Sequence, Set
from pathlib import Path

from msgspec.structs import replace

from arena.bots.sandbox.limits import SandboxLevel
from arena.ladder.folder import Ladder, upgrade_ladder
from arena.ladder.models import Night, Version
from arena.ladder.registry import Registry
from arena.ladder.settings import RetirementKeys, load_settings
from arena.ratings.cell import Cell
from arena.ratings.overall import RatedCell, counted_indices, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import Grouping, Standings, StandingsTable, build_table, group_cells
from arena.report.data.ladder_info import RankChange
from arena.store.run import Run


def load_ladder_standings(
    folder: Path, by: Grouping | None = None, best: int | None = None
) -> Standings:
    """The standings of the active versions of a ladder, overall and by variant, seats or cell.

    Each table has all versions, or as many from the top as `best` says.
    """
    settings = load_settings(folder, SandboxLevel.NONE)
    upgrade_ladder(folder)
    with Registry.open_read_only(folder) as registry, Run.open(folder) as run:
        active = {version.bot for version in registry.active_versions()}
        counted = registry.counted_cells()
        cells = cell_ratings(run, settings.cells)
        roster = run.roster()

    def table(title: str, some: Sequence[RatedCell]) -> StandingsTable:
        found = build_table(title, some, roster.bots, times=True, only=active, counted=counted)
        return replace(found, lines=found.lines[:best])

    parts = group_cells(cells, by) if by else {}
    return Standings(
        name=roster.name,
        standing=roster.standing,
        anchors=roster.anchors,
        overall=table("overall", cells),
        by=by or "cell",
        parts=tuple(table(title, some) for title, some in parts.items()),
    )


def results_by_cell(
    run: Run, cells: Sequence[Cell], last: int | None = None
) -> dict[Cell, Results]:
    """Load the results of some cells, of all blocks or of those up to `last`."""
    found = {}
    for cell in cells:
        every = run.results(cell)
        if last is not None:
            _, stored = run.storage_order(cell)
            every = every.select_blocks(stored <= last)
        found[cell] = every
    return found


def cell_ratings(run: Run, cells: Sequence[Cell], last: int | None = None) -> list[RatedCell]:
    """Rate all cells from their results."""
    return rate_cells(run.roster(), results_by_cell(run, cells, last))


def overall_table(
    run: Run, cells: Sequence[RatedCell], only: Set[str], counted: Set[Cell]
) -> StandingsTable:
    """The standings of some versions overall, in the cells that count."""
    return build_table("overall", cells, run.roster().bots, times=True, only=only, counted=counted)


def counted_cells(
    run: Run,
    cells: Sequence[RatedCell],
    only: Set[str],
    absent: Set[str],
    counted_before: Set[Cell],
) -> tuple[Cell, ...]:
    """The cells that count after a night from which some of these versions were absent."""
    bots = run.roster().bots
    who = [number for number, bot in enumerate(bots) if bot in only]
    if not who:
        return tuple(sorted(counted_before))
    old = {place for place, one in enumerate(cells) if one.cell in counted_before}
    gone = {number for number in who if bots[number] in absent}
    found = counted_indices([one.rating.blocks for one in cells], who, old, gone)
    return tuple(one.cell for place, one in enumerate(cells) if place in found)


def rank_changes(before: StandingsTable, after: StandingsTable) -> list[RankChange]:
    """The versions whose rank changed, the largest changes first and new versions last."""
    old = {line.bot: line for line in before.lines}
    found = []
    for line in after.lines:
        then = old.get(line.bot)
        was = then.rank if then else None
        if was != line.rank:
            found.append(RankChange(line.bot, was, line.rank, then.mu if then else None, line.mu))
    return sorted(found, key=rank_change_key)


def rank_change_key(change: RankChange) -> tuple[int, int]:
    """Sorts rank changes: the largest first, those of new versions last."""
    if change.rank_gain is None:
        return 1, change.after or 0
    return -abs(change.rank_gain), change.after or 0


def versions_to_retire(
    ladder: Ladder, run: Run, night: Night, versions: Sequence[Version]
) -> list[tuple[str, str]]:
    """The versions that were at fault too often, and the reason for their owners.

    Reference bots are never retired, because all ratings are relative to them.
    """
    rule = ladder.settings.keys.retire
    counts = Registry.of_run(run).fault_counts()
    found = []
    for one in versions:
        games, faulty = counts.get(one.bot, (0, 0))
        playing = one.owner and one.state == "active" and one.bot in night.bots
        if playing and has_too_many_faults(games, faulty, rule):
            found.append((one.bot, retirement_reason(games, faulty, rule)))
    return found


def has_too_many_faults(games: int, faulty: int, rule: RetirementKeys) -> bool:
    """Whether a bot was at fault so often that it is retired."""
    return games >= rule.games and faulty > rule.share * games


def retirement_reason(games: int, faulty: int, rule: RetirementKeys) -> str:
    """Explain to the owner of a bot why it is retired."""
    return (
        f"at fault in {faulty} of {games} games, and more than {100 * rule.share:g} % are too "
        "many; the faults are below: mend them and submit a new version"
    )
