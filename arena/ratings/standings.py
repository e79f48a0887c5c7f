"""The ranked tables of a run, overall and by cell, variant or table size."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.ratings.bootstrap import IntervalAudit
from arena.ratings.breakdowns import CellBias, CellSpread
from arena.ratings.cell import Cell
from arena.ratings.confidence import (
    MIN_RANKED_BLOCKS,
    TWO_SIDED_Z,
    PairState,
    difference_errors,
    group_tiers,
    judge_order,
    rank_intervals,
    z_scores,
)
from arena.ratings.overall import (
    DIGITS,
    OverallRatings,
    RatedCell,
    Roster,
    average_cells,
    rate_cells,
    round_figure,
    select_counted_cells,
)
from arena.ratings.points import t_quantile
from arena.ratings.results import Floats, RankBy, Results

Grouping = Literal["cell", "variant", "seats"]
"""How cells are grouped into tables beside the overall one."""

ONE_SIDED_Z = 1.6448536269514722
"""A difference of so many standard errors is above 0 with a chance of 95 %."""


class StandingsLine(Struct, frozen=True, kw_only=True):
    """A bot in a table; one that has not played in all of its cells has no rank."""

    bot: str
    rank: int | None = None
    ranks: tuple[int, int] | None = None
    """The best and the worst rank that the bot may in truth have, at 95 %."""
    tier: int | None = None
    """No bot is surely better than the next one of the same tier."""
    mu: float | None = None
    """The TrueSkill rating; 25 is the mean of the anchors, or of all bots without anchors."""
    margin: float | None = None
    """Half the width of the 95 % interval of mu."""
    points: float | None = None
    """Points a game above the mean of the table, corrected for opponents."""
    points_margin: float | None = None
    placement: float | None = None
    """The share of the other bots beaten in a game; a tie counts half."""
    wins: float | None = None
    """The share of games won; bots that tie for the first rank share it."""
    blocks: int
    games: int
    faults: int
    excuses: int = 0
    """Kills caused by the machine, after which the chunk was played again."""
    missing: tuple[Cell, ...] = ()
    """The cells in which it has not played yet."""
    cpu: float | UnsetType | None = UNSET
    """Milliseconds of CPU time a decision, if asked for, since times differ from run to run."""


class NeighbourComparison(Struct, frozen=True):
    """Two bots that are next to each other in the order."""

    higher: str
    lower: str
    chance: float
    """The chance that the higher one is better."""
    state: PairState


class StyleDifference(Struct, frozen=True):
    """Two bots that rating and points order differently, each with 95 % certainty."""

    rated_higher: str
    more_points: str


class PendingCell(Struct, frozen=True):
    """A new cell of a ladder that does not count in the overall rating yet."""

    cell: Cell
    bots: int
    """How many bots of the table have played in it."""
    of: int


class StandingsTable(Struct, frozen=True, kw_only=True):
    """The standings in some cells."""

    title: str
    cells: tuple[Cell, ...]
    blocks: int
    games: int
    faults: int
    excuses: int = 0
    lines: tuple[StandingsLine, ...]
    """By rank; bots without a rank come last."""
    tiers: tuple[tuple[str, ...], ...]
    confidence: float | None
    """A lower bound for the chance that the whole order, apart from ties, is right."""
    neighbours: tuple[NeighbourComparison, ...]
    early: bool
    """Whether a cell has too few blocks for reliable figures."""
    style: tuple[StyleDifference, ...]
    pending: tuple[PendingCell, ...] = ()
    """Cells that do not count yet."""


class Standings(Struct, frozen=True, kw_only=True):
    """The standings of the bots of a run."""

    name: str
    standing: RankBy
    anchors: tuple[str, ...]
    overall: StandingsTable
    """Figures are means over the cells; counts are sums."""
    by: Grouping
    parts: tuple[StandingsTable, ...]
    audit: tuple[IntervalAudit, ...] | UnsetType = UNSET
    """This and the following fields are set on request only."""
    bias: tuple[CellBias, ...] | UnsetType = UNSET
    spread: tuple[CellSpread, ...] | UnsetType = UNSET


def build_standings(
    roster: Roster, results: Mapping[Cell, Results], *, by: Grouping = "cell", times: bool = False
) -> Standings:
    """Compute the standings in some cells of a run; cells without blocks do not count."""
    rated = rate_cells(roster, results)

    def table(title: str, cells: Sequence[RatedCell]) -> StandingsTable:
        return build_table(title, cells, roster.bots, times=times)

    return Standings(
        name=roster.name,
        standing=roster.standing,
        anchors=roster.anchors,
        overall=table("overall", rated),
        by=by,
        parts=tuple(table(title, cells) for title, cells in group_cells(rated, by).items()),
    )


def group_cells(rated: Sequence[RatedCell], by: Grouping) -> dict[str, list[RatedCell]]:
    """Group cells into parts, by their titles."""
    titles: dict[Grouping, Callable[[Cell], str]] = {
        "cell": str,
        "variant": lambda cell: cell.variant,
        "seats": lambda cell: f"{cell.seats} seats",
    }
    parts: dict[str, list[RatedCell]] = {}
    for one in sorted(rated, key=lambda one: one.cell.seats) if by == "seats" else rated:
        parts.setdefault(titles[by](one.cell), []).append(one)
    return parts


def build_table(  # noqa: PLR0913 (most are the same for all tables of a run)
    title: str,
    cells: Sequence[RatedCell],
    bots: Sequence[str],
    *,
    times: bool,
    only: Set[str] | None = None,
    counted: Set[Cell] | None = None,
) -> StandingsTable:
    """Make the table of some cells, with all bots or only some.

    Ranks, their intervals and tiers are among the bots of the table; blocks, games and faults are
    those of all bots, since all of them affect the ratings. On a ladder, `counted` are the cells
    that count in the overall rating.
    """
    all_cells = cells
    chosen = [bot for bot, name in enumerate(bots) if only is None or name in only]
    if counted is not None:
        cells = select_counted_cells(all_cells, chosen, counted)
    mean = average_cells(cells, len(bots))
    order = mean.sort_bots(chosen)
    names = [bots[bot] for bot in order]
    z = z_scores(*mean.ratings_of(order))
    groups = group_tiers(range(len(order)), z)
    verdict = judge_order(*mean.ratings_of(order))

    def line(bot: int) -> StandingsLine:
        return bot_line(cells, mean, bot, bots[bot], times=times)

    return StandingsTable(
        title=title,
        cells=tuple(one.cell for one in cells),
        blocks=sum(one.results.blocks for one in cells),
        games=sum(int(one.results.games.sum()) for one in cells),
        faults=sum(int(one.totals.faults.sum()) for one in cells),
        excuses=sum(int(one.totals.excuses.sum()) for one in cells),
        lines=(
            *rank_lines(map(line, order), mean.mu[order], z, groups),
            *(line(bot) for bot in chosen if not mean.is_complete[bot]),
        ),
        tiers=tuple(tuple(names[index] for index in group) for group in groups),
        confidence=math.floor(verdict.confidence * 10**DIGITS) / 10**DIGITS if order[1:] else None,
        neighbours=tuple(
            NeighbourComparison(
                names[pair.ahead], names[pair.behind], round_figure(pair.chance), pair.state
            )
            for pair in verdict.pairs
        ),
        early=any(one.results.blocks < MIN_RANKED_BLOCKS for one in cells),
        style=tuple(
            StyleDifference(bots[one], bots[other])
            for one, other in style_pairs(cells, mean, order, z)
        ),
        pending=tuple(
            PendingCell(one.cell, int(one.rating.has_played[chosen].sum()), len(chosen))
            for one in all_cells
            if one not in cells
        ),
    )


def unranked_lines(
    cells: Sequence[RatedCell], bots: Sequence[str], only: Set[str]
) -> dict[str, StandingsLine]:
    """Return the lines of some bots with all figures, but without ranks."""
    mean = average_cells(cells, len(bots))
    return {
        name: bot_line(cells, mean, bot, name, times=True)
        for bot, name in enumerate(bots)
        if name in only
    }


def bot_line(
    cells: Sequence[RatedCell], mean: OverallRatings, bot: int, name: str, *, times: bool
) -> StandingsLine:
    """Return the line of a bot; without games in a cell it has counts only."""
    line = count_line(cells, bot, name, times=times)
    if not mean.is_complete[bot]:
        return line
    error = math.sqrt(max(float(mean.points_covariance[bot, bot]), 0.0))
    return replace(
        line,
        mu=round_figure(mean.mu[bot]),
        margin=round_figure(TWO_SIDED_Z * mean.sigma[bot]),
        points=round_figure(mean.points[bot]),
        points_margin=round_figure(t_quantile(line.blocks) * error)
        if mean.has_points_error[bot]
        else None,
        placement=round_figure(sum(one.totals.placement[bot] for one in cells) / len(cells)),
        wins=round_figure(sum(one.totals.wins[bot] for one in cells) / len(cells)),
    )


def count_line(cells: Sequence[RatedCell], bot: int, name: str, *, times: bool) -> StandingsLine:
    """Return the line of a bot with its counts only."""
    decisions = sum(int(one.totals.decisions[bot]) for one in cells)
    spent = sum(int(one.totals.cpu[bot]) for one in cells)
    line = StandingsLine(
        bot=name,
        blocks=sum(int(one.totals.blocks[bot]) for one in cells),
        games=sum(int(one.totals.games[bot]) for one in cells),
        faults=sum(int(one.totals.faults[bot]) for one in cells),
        excuses=sum(int(one.totals.excuses[bot]) for one in cells),
        missing=tuple(one.cell for one in cells if not one.rating.has_played[bot]),
    )
    if not times:
        return line
    return replace(line, cpu=round_figure(spent / decisions / 1000) if decisions else None)


def rank_lines(
    lines: Iterable[StandingsLine], mus: Floats, z: Floats, groups: Sequence[Sequence[int]]
) -> Iterator[StandingsLine]:
    """Add ranks, their intervals and tiers to the lines of bots that are sorted by rank."""
    tier_of_line = [tier for tier, group in enumerate(groups, 1) for _ in group]
    for line, mu, ranks, tier in zip(lines, mus, rank_intervals(z), tier_of_line, strict=True):
        yield replace(line, rank=1 + int((mus > mu).sum()), ranks=ranks, tier=tier)


def style_pairs(
    cells: Sequence[RatedCell], mean: OverallRatings, order: Sequence[int], z: Floats
) -> Iterator[tuple[int, int]]:
    """Yield pairs of which the first is likely better by rating and the second by points."""
    if any(one.results.blocks < MIN_RANKED_BLOCKS for one in cells):
        return
    points, covariance = mean.points_of(order)
    known = mean.has_points_error[order]
    more = points[None, :] - points[:, None] > ONE_SIDED_Z * difference_errors(covariance)
    likely = np.triu(z >= ONE_SIDED_Z, 1)
    for above, below in np.argwhere(more & likely & known[:, None] & known[None, :]).tolist():
        yield order[above], order[below]
