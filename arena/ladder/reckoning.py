"""The reckoning: how the active versions of a ladder stand, from all games so far."""

from collections.abc import Sequence, Set
from typing import Final

from arena.ladder.facts import Move
from arena.ratings.cell import Cell
from arena.ratings.overall import Rated, counting, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import Table, tabulate
from arena.store.database import explained
from arena.store.run import Run

MOST: Final = 2**63 - 1


def results(run: Run, cells: Sequence[Cell], last: int | None = None) -> dict[Cell, Results]:
    """What the blocks of some cells came to, all of them or those up to the last that is named."""
    found = {}
    for cell in cells:
        every = run.results(cell)
        if last is not None:
            _, stored = run.stored(cell)
            every = every.where(stored <= last)
        found[cell] = every
    return found


def rated(run: Run, cells: Sequence[Cell], last: int | None = None) -> list[Rated]:
    """All figures of every cell, rated anew."""
    return rate_cells(run.roster(), results(run, cells, last))


def table(run: Run, cells: Sequence[Rated], only: Set[str], counted: Set[Cell]) -> Table:
    """The standings of some versions overall, in the cells that count."""
    return tabulate("overall", cells, run.roster().bots, times=True, only=only, counted=counted)


def counted_now(
    run: Run, cells: Sequence[Rated], only: Set[str], absent: Set[str], before: Set[Cell]
) -> tuple[Cell, ...]:
    """The cells that count after a night from which some of these versions were absent."""
    bots = run.roster().bots
    who = [number for number, bot in enumerate(bots) if bot in only]
    if not who:
        return tuple(sorted(before))
    old = {place for place, one in enumerate(cells) if one.cell in before}
    gone = {number for number in who if bots[number] in absent}
    found = counting([one.rating.blocks for one in cells], who, old, gone)
    return tuple(one.cell for place, one in enumerate(cells) if place in found)


def moves(before: Table, after: Table) -> list[Move]:
    """Whose rank changed, the largest steps first; the new ones come last."""
    old = {line.bot: line for line in before.lines}
    found = []
    for line in after.lines:
        then = old.get(line.bot)
        was = then.rank if then else None
        if was != line.rank:
            found.append(Move(line.bot, was, line.rank, then.mu if then else None, line.mu))
    return sorted(found, key=step)


def step(move: Move) -> tuple[int, int]:
    """What sorts moves: the largest first."""
    if move.before is None or move.after is None:
        return 1, move.after or 0
    return -abs(move.after - move.before), move.after


def faulty(run: Run, last: int | None = None) -> dict[str, tuple[int, int]]:
    """For each version its games, and those with a fault of it, up to the last block named."""
    most = MOST if last is None else last
    execute = run.connection.execute
    with explained(run.file):
        games = execute(
            "SELECT name, sum(games) FROM entry JOIN block ON block.id = block"
            " JOIN bot ON bot.id = bot WHERE block <= ? GROUP BY bot",
            (most,),
        ).fetchall()
        faults = dict(
            execute(
                "SELECT name, count(*) FROM (SELECT DISTINCT bot, block, turn FROM fault"
                " WHERE block <= ?) JOIN bot ON bot.id = bot GROUP BY bot",
                (most,),
            ).fetchall()
        )
    return {name: (played, faults.get(name, 0)) for name, played in games}
