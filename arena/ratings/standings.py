"""The ranked table of a run, overall and by cell, variant or table size."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.ratings.breakdowns import CellBias, CellSpread, IntervalAudit
from arena.ratings.cell import Cell
from arena.ratings.confidence import (
    MIN_RANKED_BLOCKS,
    TWO_SIDED_Z,
    PairState,
    difference_errors,
    judge_order,
    rank_intervals,
    tiers,
    z_scores,
)
from arena.ratings.overall import (
    DIGITS,
    OverallRatings,
    RatedCell,
    Roster,
    average,
    counted_cells,
    rate_cells,
    round_figure,
)
from arena.ratings.points import t_quantile
from arena.ratings.results import Floats, RankBy, Results

Grouping = Literal["cell", "variant", "seats"]
"""What gets a table of its own beside the overall one."""

ONE_SIDED_Z = 1.6448536269514722
"""How many standard errors a difference has that is above 0 with a chance of 95 %."""


class StandingsLine(Struct, frozen=True, kw_only=True):
    """A bot in a table; who has not played in all of its cells is listed without a rank."""

    bot: str
    rank: int | None = None
    ranks: tuple[int, int] | None = None
    """The best and the worst rank that it may in truth have, at 95 %."""
    tier: int | None = None
    """Nobody of a tier is surely better than the next in it."""
    mu: float | None = None
    """TrueSkill; 25 is the mean of the anchors, or of all where there are none."""
    margin: float | None = None
    """To each side of mu, at 95 %."""
    points: float | None = None
    """Points a game against the mean of the table, opponents allowed for."""
    points_margin: float | None = None
    placement: float | None = None
    """The share of the others beaten; a tie counts half."""
    wins: float | None = None
    """The share of games won; who ties for the first rank shares it."""
    blocks: int
    games: int
    faults: int
    excuses: int = 0
    """Kills that the machine caused: the chunk was played again, and the bot did not pay."""
    missing: tuple[Cell, ...] = ()
    """Where it has not played yet."""
    cpu: float | UnsetType | None = UNSET
    """Milliseconds of CPU time a decision, if times are asked for: no two runs share them."""


class Neighbours(Struct, frozen=True):
    """Two bots that are next to each other in the order."""

    higher: str
    lower: str
    chance: float
    """That the higher one is better."""
    state: PairState


class Style(Struct, frozen=True):
    """Two bots that a rating and points put in opposite orders, both at 95 %."""

    rated_higher: str
    more_points: str


class Pending(Struct, frozen=True):
    """A cell that is new on a ladder, and not part of its overall rating yet."""

    cell: Cell
    bots: int
    """Bots of the table that have played in it."""
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
    """By rank; those without one come last."""
    tiers: tuple[tuple[str, ...], ...]
    confidence: float | None
    """At least so sure is the whole order, those that are tied left out of it."""
    neighbours: tuple[Neighbours, ...]
    early: bool
    """Whether a cell has too few blocks to rely on any of this."""
    style: tuple[Style, ...]
    pending: tuple[Pending, ...] = ()
    """Further cells, which do not count yet."""


class Standings(Struct, frozen=True, kw_only=True):
    """How the bots of a run stand."""

    name: str
    standing: RankBy
    anchors: tuple[str, ...]
    overall: StandingsTable
    """Figures are means over the cells, each of which counts the same; numbers are sums."""
    by: Grouping
    parts: tuple[StandingsTable, ...]
    audit: tuple[IntervalAudit, ...] | UnsetType = UNSET
    """This and what follows is there if it is asked for."""
    bias: tuple[CellBias, ...] | UnsetType = UNSET
    spread: tuple[CellSpread, ...] | UnsetType = UNSET


def assemble(
    roster: Roster, results: Mapping[Cell, Results], *, by: Grouping = "cell", times: bool = False
) -> Standings:
    """The standings of a run's bots in some of its cells; one without a block does not count."""
    rated = rate_cells(roster, results)

    def table(title: str, cells: Sequence[RatedCell]) -> StandingsTable:
        return tabulate(title, cells, roster.bots, times=times)

    return Standings(
        name=roster.name,
        standing=roster.standing,
        anchors=roster.anchors,
        overall=table("overall", rated),
        by=by,
        parts=tuple(table(title, cells) for title, cells in group_cells(rated, by).items()),
    )


def group_cells(rated: Sequence[RatedCell], by: Grouping) -> dict[str, list[RatedCell]]:
    """The cells of each part, by its title."""
    titles: dict[Grouping, Callable[[Cell], str]] = {
        "cell": str,
        "variant": lambda cell: cell.variant,
        "seats": lambda cell: f"{cell.seats} seats",
    }
    parts: dict[str, list[RatedCell]] = {}
    for one in sorted(rated, key=lambda one: one.cell.seats) if by == "seats" else rated:
        parts.setdefault(titles[by](one.cell), []).append(one)
    return parts


def tabulate(  # noqa: PLR0913 (most are the same for all tables of a run)
    title: str,
    cells: Sequence[RatedCell],
    bots: Sequence[str],
    *,
    times: bool,
    only: Set[str] | None = None,
    counted: Set[Cell] | None = None,
) -> StandingsTable:
    """The table of some cells, of all bots or of some only.

    Ranks, their intervals and tiers are those among the bots of the table; blocks, games and faults
    are all there are, for they are what everybody is rated by. On a ladder, `counted` are the cells
    that are part of its overall rating.
    """
    every = cells
    chosen = [bot for bot, name in enumerate(bots) if only is None or name in only]
    if counted is not None:
        cells = counted_cells(every, chosen, counted)
    mean = average(cells, len(bots))
    order = mean.order_of(chosen)
    names = [bots[bot] for bot in order]
    apart = z_scores(*mean.ratings_of(order))
    groups = tiers(range(len(order)), apart)
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
            *rank_lines(map(line, order), mean.mu[order], apart, groups),
            *(line(bot) for bot in chosen if not mean.complete[bot]),
        ),
        tiers=tuple(tuple(names[place] for place in group) for group in groups),
        confidence=math.floor(verdict.confidence * 10**DIGITS) / 10**DIGITS if order[1:] else None,
        neighbours=tuple(
            Neighbours(names[pair.ahead], names[pair.behind], round_figure(pair.chance), pair.state)
            for pair in verdict.pairs
        ),
        early=any(one.results.blocks < MIN_RANKED_BLOCKS for one in cells),
        style=tuple(
            Style(bots[one], bots[other]) for one, other in style_pairs(cells, mean, order, apart)
        ),
        pending=tuple(
            Pending(one.cell, int(one.rating.played[chosen].sum()), len(chosen))
            for one in every
            if one not in cells
        ),
    )


def unranked_lines(
    cells: Sequence[RatedCell], bots: Sequence[str], only: Set[str]
) -> dict[str, StandingsLine]:
    """The lines of some bots by themselves: all their figures, and no rank."""
    mean = average(cells, len(bots))
    return {
        name: bot_line(cells, mean, bot, name, times=True)
        for bot, name in enumerate(bots)
        if name in only
    }


def bot_line(
    cells: Sequence[RatedCell], mean: OverallRatings, bot: int, name: str, *, times: bool
) -> StandingsLine:
    """A bot with all its figures, or with what is known if it has not played in all cells."""
    line = count_line(cells, bot, name, times=times)
    if not mean.complete[bot]:
        return line
    error = math.sqrt(max(float(mean.theta_covariance[bot, bot]), 0.0))
    return replace(
        line,
        mu=round_figure(mean.mu[bot]),
        margin=round_figure(TWO_SIDED_Z * mean.sigma[bot]),
        points=round_figure(mean.theta[bot]),
        points_margin=round_figure(t_quantile(line.blocks) * error) if mean.known[bot] else None,
        placement=round_figure(sum(one.totals.placement[bot] for one in cells) / len(cells)),
        wins=round_figure(sum(one.totals.wins[bot] for one in cells) / len(cells)),
    )


def count_line(cells: Sequence[RatedCell], bot: int, name: str, *, times: bool) -> StandingsLine:
    """What is known of a bot even if it has no rank."""
    decisions = sum(int(one.totals.decisions[bot]) for one in cells)
    spent = sum(int(one.totals.cpu[bot]) for one in cells)
    line = StandingsLine(
        bot=name,
        blocks=sum(int(one.totals.blocks[bot]) for one in cells),
        games=sum(int(one.totals.games[bot]) for one in cells),
        faults=sum(int(one.totals.faults[bot]) for one in cells),
        excuses=sum(int(one.totals.excuses[bot]) for one in cells),
        missing=tuple(one.cell for one in cells if not one.rating.played[bot]),
    )
    if not times:
        return line
    return replace(line, cpu=round_figure(spent / decisions / 1000) if decisions else None)


def rank_lines(
    lines: Iterable[StandingsLine], mus: Floats, z: Floats, groups: Sequence[Sequence[int]]
) -> Iterator[StandingsLine]:
    """The lines of those who have a rank, given in their order, with it and what belongs to it."""
    tier = [number for number, group in enumerate(groups, 1) for _ in group]
    for line, mu, ranks, own in zip(lines, mus, rank_intervals(z), tier, strict=True):
        yield replace(line, rank=1 + int((mus > mu).sum()), ranks=ranks, tier=own)


def style_pairs(
    cells: Sequence[RatedCell], mean: OverallRatings, order: Sequence[int], z: Floats
) -> Iterator[tuple[int, int]]:
    """Pairs of which the first is rated higher and the second makes more points, both likely."""
    if any(one.results.blocks < MIN_RANKED_BLOCKS for one in cells):
        return
    points, covariance = mean.points_of(order)
    known = mean.known[order]
    more = points[None, :] - points[:, None] > ONE_SIDED_Z * difference_errors(covariance)
    likely = np.triu(z >= ONE_SIDED_Z, 1)
    for place, below in np.argwhere(more & likely & known[:, None] & known[None, :]).tolist():
        yield order[place], order[below]
