"""Placement: what a new version plays before it is accepted, and how it did."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.bots.bot import Bot, find, reference
from arena.bots.launcher import Launcher
from arena.errors import BadBot, Killed
from arena.games.seeded import Seeded
from arena.ladder.folder import Ladder
from arena.ladder.limits import own_decisions, placement_games, placement_seconds
from arena.match.faults import Fault
from arena.match.terms import Terms
from arena.protocol.messages import LARGEST
from arena.ratings.cell import Cell
from arena.store.block import Block, Kept, unpack
from arena.tournaments.block import Chunk
from arena.tournaments.deals import digest, terms_key
from arena.tournaments.designs import design
from arena.tournaments.drawing import Drawing
from arena.tournaments.excuses import Excuses
from arena.tournaments.work import play

SPARRING: Final = ("random", "first-legal", "lowest", "highest", "ducker", "careful", "counter")
"""Reference bots that any machine can run, from weak to strong."""

Tick = Callable[[int, int], None]
"""Is told how many games were played, of how many."""


@dataclass(frozen=True)
class Meeting:
    """How a bot did against another over the same games."""

    opponent: str
    games: int
    ahead: float
    """Games in which it came out ahead; ties count half."""
    points: float
    """Points a game that it had more."""


@dataclass(frozen=True)
class Placed:
    """What came of placement games."""

    blocks: Sequence[Block]
    kept: bool
    """Whether all opponents are on the ladder, so that these games count."""
    games: int
    faulty: int
    """Games with a fault of the bot."""
    cpu: float
    """Milliseconds of CPU time a decision."""
    meetings: Sequence[Meeting]
    fault: Fault | None
    """The first one."""
    wanted: int = 0
    """Games that were meant to be played; a slow bot plays fewer."""


def salt(submission: str) -> str:
    """What makes the deals of a submission's games its own."""
    return f"placement {submission}"


def sparring() -> list[Bot]:
    """Reference bots for a ladder that has too few of its own."""
    return [found for name in SPARRING if (found := tried(name)) is not None]


def tried(name: str) -> Bot | None:
    """A reference bot, if it can be run here."""
    place = reference().get(name)
    if place is None:
        return None
    try:
        return find(place)
    except BadBot:
        return None


def scheduled(cells: Sequence[Cell], games: int) -> list[Cell]:
    """The cells that a new version plays in: one of each variant first, until there is enough."""
    first = list({cell.variant: cell for cell in reversed(cells)}.values())[::-1]
    wanted: list[Cell] = []
    total = 0
    for cell in [*first, *(cell for cell in cells if cell not in first)]:
        if total >= games:
            break
        wanted.append(cell)
        total += placement_games(cell)
    return wanted


def tables(
    bot: Bot, opponents: Sequence[Bot], cells: Sequence[Cell], seed: str
) -> Iterator[tuple[Cell, list[Bot]]]:
    """Who plays in which cell: all opponents in turn, so that it meets weak and strong ones."""
    drawn = int.from_bytes(digest("stichkampf-placement-1", seed)[:8]) & LARGEST
    waiting = list[Bot]()
    for number, cell in enumerate(cells):
        others: list[Bot] = []
        while len(others) < cell.seats - 1:
            if not waiting:
                waiting = Seeded(drawn)(number, opponents)
            others.append(waiting.pop())
            if len(others) > 1 and others[-1] in others[:-1]:
                others.pop()
        yield cell, sorted([bot, *others], key=lambda one: one.name)


def place(ladder: Ladder, bot: Bot, secret: str, opponents: Sequence[Bot], tick: Tick) -> Placed:
    """Let a bot play against reference bots: those of the ladder, or else some of the program's."""
    settings = ladder.settings
    needed = max(cell.seats for cell in settings.cells) - 1
    kept = len(opponents) >= needed
    partners = list(opponents) if kept else sparring()
    possible = [cell for cell in settings.cells if cell.seats - 1 <= len(partners)]
    wanted = scheduled(possible, settings.keys.placement.games)
    total = sum(map(placement_games, wanted))
    agreed = terms_key(settings.terms, settings.sandbox)
    played, blocks = 0, list[Block]()
    pace = PlacementPace(placement_seconds(settings))

    def count() -> None:
        nonlocal played
        played += 1
        tick(played, total)

    for cell, table in tables(bot, partners, wanted, secret):
        if not pace.leaves_time_for(cell):
            break
        drawing = Drawing(secret, cell, table, agreed, "balanced")
        numbers = range(len(design("balanced", cell.seats)))
        chunk = Chunk(cell, tuple(range(cell.seats)), drawing.blocks(numbers))
        blocks += excused(chunk, table, settings.terms, count)
        pace.count(cell)
    return replace(judged(bot.name, blocks, kept=kept), wanted=total)


class PlacementPace:
    """How fast a bot plays, so that the games of a slow one can be cut to fit its time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self.decided = 0.0

    def count(self, cell: Cell) -> None:
        """Count the decisions of a cell that was played."""
        self.decided += placement_games(cell) * own_decisions(cell)

    def leaves_time_for(self, cell: Cell) -> bool:
        """Whether the games of one more cell fit; the first ones always do."""
        spent = time.monotonic() - self.began
        more = placement_games(cell) * own_decisions(cell)
        return not self.decided or spent * (1 + more / self.decided) <= self.seconds


def excused(
    chunk: Chunk, table: Sequence[Bot], terms: Terms, tick: Callable[[], None]
) -> list[Block]:
    """Play a chunk, and again while the machine kills a bot that still has excuses."""
    excuses, names = Excuses(), [bot.name for bot in table]
    while True:
        paying = excuses.used_up(names, chunk)
        try:
            with Launcher(terms.sandbox) as launcher:
                lenient = replace(terms, excuse=True, paying=paying)
                return play(chunk, table, launcher, lenient, tick)
        except Killed as killed:
            excuses.add(killed.bot, chunk)


def judged(name: str, blocks: Sequence[Block], *, kept: bool) -> Placed:
    """How a bot did in its games."""
    games = faulty = decisions = cpu = 0
    fault: Fault | None = None
    met: dict[str, list[float]] = {}
    for block in blocks:
        own = block.bots.index(name)
        for result in block.results:
            seat = result.seating.index(own)
            games += 1
            faulty += result.faults[seat] > 0
            decisions += result.decisions[seat]
            cpu += result.cpu[seat]
            for other, place in enumerate(result.seating):
                if other != seat:
                    rank, against = result.ranks[seat], result.ranks[other]
                    sums = met.setdefault(block.bots[place], [0, 0.0, 0.0])
                    sums[0] += 1
                    sums[1] += (rank < against) + 0.5 * (rank == against)
                    sums[2] += result.points[seat] - result.points[other]
        fault = fault or first_fault(unpack(block.kept), name)
    meetings = [
        Meeting(other, int(count), ahead, points / count)
        for other, (count, ahead, points) in sorted(met.items())
    ]
    return Placed(blocks, kept, games, faulty, cpu / max(1, decisions) / 1000, meetings, fault)


def first_fault(games: Sequence[Kept], name: str) -> Fault | None:
    """The first fault of a bot in some games."""
    for game in games:
        for fault in game.record.faults:
            if game.record.bots[fault.seat].name == name:
                return fault
    return None
