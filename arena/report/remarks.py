"""Remarks: what standings come to, in words."""

from collections.abc import Iterator, Sequence

from arena.games.catalog import listed
from arena.printable import printable
from arena.ratings.certainty import LEAST
from arena.ratings.panels import Beside, Bias
from arena.ratings.standings import Line, Neighbours, Standings, Table
from arena.report.plots.values import STUCK, counted

__all__ = [
    "STUCK",
    "absent",
    "beside_whom",
    "certainty",
    "counted",
    "percent",
    "remarks",
    "some",
]

SHOWN = 5
"""So many of a kind are named, the others counted."""


def percent(share: float) -> str:
    """A chance, with as many digits as it takes not to look certain."""
    digits = 0 if 0.01 <= share <= 0.99 else 1
    return f"{100 * share:.{digits}f}{STUCK}%" if 0.001 <= share <= 0.999 else extreme(share)


def extreme(share: float) -> str:
    """A chance next to certain."""
    return f"over 99.9{STUCK}%" if share > 0.5 else f"under 0.1{STUCK}%"


def some(things: Sequence[str], kind: str = "") -> str:
    """The first few, and how many more of a kind there are."""
    more = len(things) - SHOWN
    return listed([*things[:SHOWN], f"{more} more {kind}".strip()] if more > 0 else things)


def remarks(standings: Standings, table: Table) -> Iterator[str]:
    """What is worth a sentence, but for faults."""
    yield from certainty(table)
    for pair in table.style[:SHOWN]:
        yield (
            f"* {printable(pair.rated_higher)} is rated above {printable(pair.more_points)}, which "
            f"makes more points a game, both at 95{STUCK}%: a matter of style."
        )
    anchors = [printable(line.bot) for line in table.lines if line.bot in standings.anchors]
    if anchors:
        yield f"° {'Anchor' if len(anchors) == 1 else 'Anchors'}: {some(anchors)}."
    yield from absent(table)
    if table.pending:
        told = [
            f"{printable(str(one.cell))} ({one.bots:,} of {counted(one.of, 'bot')} have played it)"
            for one in table.pending
        ]
        yield (
            f"Not yet part of this rating: {some(told)}. A new cell counts once nearly all bots "
            "have played it."
        )


def certainty(table: Table) -> Iterator[str]:
    """What is settled, what is tied and what is open."""
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
            f"Settled, so that the whole order is right at 95{STUCK}%: {len(settled)} of "
            f"{counted(len(pairs), 'pair')} of neighbours."
        )
    if tied:
        yield f"Tied, closer than matters: {some([both(pair, '=') for pair in tied], 'pairs')}."
    if unsure:
        told = [f"{both(pair, '>')}{STUCK}({percent(pair.chance)})" for pair in unsure]
        yield f"Open, with the chance of this order: {some(told, 'pairs')}."
    if table.early:
        yield f"It is early: with fewer than {LEAST} blocks in a cell, intervals are not reliable."


def both(pair: Neighbours, sign: str) -> str:
    """Two bots and what is between them."""
    return f"{printable(pair.higher)}{STUCK}{sign}{STUCK}{printable(pair.lower)}"


def missing(line: Line) -> str:
    """Where a bot has not played yet: a cell or two, or how many."""
    cells = [printable(str(cell)) for cell in line.missing]
    return listed(cells) if len(cells) < 3 else counted(len(cells), "cell")


def absent(table: Table) -> Iterator[str]:
    """Who has no rank, and why."""
    never = [printable(line.bot) for line in table.lines if not line.blocks]
    if never:
        yield f"No finished block yet: {some(never)}."
    partly = [line for line in table.lines if line.missing and line.blocks]
    if partly:
        told = [f"{printable(line.bot)} (not in {missing(line)})" for line in partly]
        yield f"Not ranked, for blocks are missing: {some(told)}."


def beside_whom(one: Bias, found: Beside) -> str:
    """What a neighbour does, in words."""
    does = "better" if found.effect > 0 else "worse"
    return (
        f"{printable(found.bot)} places {100 * abs(found.effect):.1f} points {does} with "
        f"{printable(found.left)} on its left ({printable(str(one.cell))}; "
        f"±{100 * (found.margin or 0):.1f})."
    )
