"""Sentences about standings: certainty, ties, missing blocks and fairness."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from arena.ratings.breakdowns import CellBias, NeighbourEffect
from arena.ratings.confidence import MIN_RANKED_BLOCKS
from arena.ratings.schedule_fairness import Aspect, Balance, Fairness
from arena.ratings.standings import NeighbourComparison, Standings, StandingsLine, StandingsTable
from arena.report.plots.text import NBSP
from arena.sanitize import printable
from arena.text import english_list, plural

MAX_NAMED = 5
"""Things of a kind that are named; further ones are counted."""


def percent(share: float) -> str:
    """A chance in percent that never looks like certainty."""
    digits = 0 if 0.01 <= share <= 0.99 else 1
    if 0.001 <= share <= 0.999:
        return f"{100 * share:.{digits}f}{NBSP}%"
    return f"over 99.9{NBSP}%" if share > 0.5 else f"under 0.1{NBSP}%"


def list_first(things: Sequence[str], kind: str = "") -> str:
    """List the first few things, and count the others."""
    more = len(things) - MAX_NAMED
    return english_list(
        [*things[:MAX_NAMED], f"{more} more {kind}".strip()] if more > 0 else things
    )


def standings_remarks(standings: Standings, table: StandingsTable) -> Iterator[str]:
    """All remarks on a table, except on faults."""
    yield from certainty_remarks(table)
    for pair in table.style[:MAX_NAMED]:
        yield (
            f"* {printable(pair.rated_higher)} is rated above {printable(pair.more_points)}, which "
            f"makes more points a game, both at 95{NBSP}%: a matter of style."
        )
    anchors = [printable(line.bot) for line in table.lines if line.bot in standings.anchors]
    if anchors:
        yield f"° {'Anchor' if len(anchors) == 1 else 'Anchors'}: {list_first(anchors)}."
    yield from unranked_remarks(table)
    if table.pending:
        pending = [
            f"{printable(str(one.cell))} ({one.bots:,} of {plural(one.of, 'bot')} have played it)"
            for one in table.pending
        ]
        yield (
            f"Not yet part of this rating: {list_first(pending)}. A new cell counts once nearly "
            "all bots have played it."
        )


def certainty_remarks(table: StandingsTable) -> Iterator[str]:
    """Which pairs of neighbours are settled, tied or open."""
    pairs = table.neighbours
    if not pairs:
        return
    settled = [pair for pair in pairs if pair.state == "settled"]
    tied = [pair for pair in pairs if pair.state == "tied"]
    unsure = sorted((pair for pair in pairs if pair.state == "open"), key=lambda pair: pair.chance)
    sure = percent(table.confidence or 0.0).removeprefix("over ")
    if not unsure:
        what = "All that is not tied" if tied else "The whole order"
        yield f"{what} is settled; it is right with a chance of at least {sure}."
    else:
        yield (
            f"Settled, so that the whole order is right at 95{NBSP}%: {len(settled)} of "
            f"{plural(len(pairs), 'pair')} of neighbours."
        )
    if tied:
        yield (
            f"Tied, closer than matters: "
            f"{list_first([pair_text(pair, '=') for pair in tied], 'pairs')}."
        )
    if unsure:
        pairs_with_chance = [
            f"{pair_text(pair, '>')}{NBSP}({percent(pair.chance)})" for pair in unsure
        ]
        yield f"Open, with the chance of this order: {list_first(pairs_with_chance, 'pairs')}."
    if table.early:
        yield (
            f"It is early: with fewer than {MIN_RANKED_BLOCKS} blocks in a cell, intervals are "
            f"not reliable."
        )


def pair_text(pair: NeighbourComparison, sign: str) -> str:
    """Two bots with the sign between them."""
    return f"{printable(pair.higher)}{NBSP}{sign}{NBSP}{printable(pair.lower)}"


def missing_cells(line: StandingsLine) -> str:
    """The cells in which a bot has not played yet, or their number."""
    cells = [printable(str(cell)) for cell in line.missing]
    return english_list(cells) if len(cells) < 3 else plural(len(cells), "cell")


def unranked_remarks(table: StandingsTable) -> Iterator[str]:
    """The bots without a rank, with the reason."""
    never = [printable(line.bot) for line in table.lines if not line.blocks]
    if never:
        yield f"No finished block yet: {list_first(never)}."
    partly = [line for line in table.lines if line.missing and line.blocks]
    if partly:
        bots = [f"{printable(line.bot)} (not in {missing_cells(line)})" for line in partly]
        yield f"Not ranked, because blocks are missing: {list_first(bots)}."


def neighbour_remark(bias: CellBias, neighbour: NeighbourEffect) -> str:
    """The effect of a neighbour, in words."""
    does = "better" if neighbour.effect > 0 else "worse"
    return (
        f"{printable(neighbour.bot)} places {100 * abs(neighbour.effect):.1f} points {does} with "
        f"{printable(neighbour.left)} on its left ({printable(str(bias.cell))}; "
        f"±{100 * (neighbour.margin or 0):.1f})."
    )


class FairnessAspect(NamedTuple):
    """A respect in which a tournament is fair or not."""

    title: str
    short_title: str
    tooltip: str


FAIRNESS_ASPECTS: Final[dict[Aspect, FairnessAspect]] = {
    "deals": FairnessAspect(
        "deals of each bot", "deals", "Deals that each bot played: even if all played as many"
    ),
    "pairs": FairnessAspect(
        "deals of each two",
        "pairs",
        "Deals that each two played at one table: even if any two met as often",
    ),
    "seats": FairnessAspect(
        "games in each seat",
        "seats",
        "Games of each bot in each seat: even if each sat everywhere as often",
    ),
    "neighbours": FairnessAspect(
        "games beside each",
        "left",
        "Games of each bot with each other on its left: even if each had everybody as often",
    ),
}


class FairnessLine(NamedTuple):
    """One aspect of fairness, summed up over some cells."""

    title: str
    is_balanced: bool
    cells_text: str
    """In how many cells it is balanced, if only in some."""
    counts_text: str


def fairness_lines(
    cells: Sequence[Fairness], aspects: Iterable[Aspect] = FAIRNESS_ASPECTS
) -> list[FairnessLine]:
    """Sum up aspects of fairness over some cells."""
    lines = []
    for aspect in aspects:
        balances = [cell.balance_of(aspect) for cell in cells]
        balanced = sum(one.balanced for one in balances)
        cells_text = (
            ""
            if balanced in {0, len(cells)}
            else f", but in {balanced} of {plural(len(cells), 'cell')}"
        )
        minimum = min((one.least for one in balances), default=0)
        maximum = max((one.most for one in balances), default=0)
        spans = {count_range(one) for one in balances}
        counts_text = spans.pop() if len(spans) == 1 else f"{minimum:,} to {maximum:,}, by cell"
        lines.append(
            FairnessLine(
                FAIRNESS_ASPECTS[aspect].title, balanced == len(cells), cells_text, counts_text
            )
        )
    return lines


def count_range(balance: Balance) -> str:
    """The range of counts, in words."""
    if balance.least == balance.most:
        return f"{balance.least:,} each"
    return f"{balance.least:,} to {balance.most:,}"
