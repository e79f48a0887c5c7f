"""Placement games of a new version against reference bots, and their summary."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.bots.bot import Bot, builtin_bots, load_bot
from arena.bots.launcher import Launcher
from arena.errors import BadBot, BotKilled
from arena.games.shuffle import SeededShuffle
from arena.ladder.folder import Ladder
from arena.ladder.limits import decisions_per_seat, placement_games, placement_seconds
from arena.protocol.messages import MAX_SAFE_INTEGER
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.store.block import PlayedBlock, StoredGame, unpack_games
from arena.tournaments.deals import block_key_settings, hash_parts
from arena.tournaments.plan.blocks import BlockFactory, Chunk
from arena.tournaments.play.excuse_counter import ExcuseCounter
from arena.tournaments.play.worker import play_chunk
from arena.tournaments.seatings import design

REFERENCE_BOTS: Final = (
    "random",
    "first-legal",
    "lowest",
    "highest",
    "ducker",
    "careful",
    "counter",
)
"""Reference bots that any machine can run, from weak to strong."""

GameCallback = Callable[[int, int], None]
"""Is called with the number of played games and of all games."""


@dataclass(frozen=True)
class OpponentResult:
    """The result of a bot against one opponent over their common games."""

    opponent: str
    games: int
    ahead: float
    """Games in which it came out ahead; ties count half."""
    points: float
    """Points a game that it had more."""


@dataclass(frozen=True)
class PlacementResult:
    """The result of placement games."""

    blocks: Sequence[PlayedBlock]
    is_counted: bool
    """Whether all opponents are on the ladder, so that these games count."""
    games: int
    faulty_games: int
    """Games with a fault of the bot."""
    cpu_ms: float
    """Milliseconds of CPU time a decision."""
    opponents: Sequence[OpponentResult]
    first_fault: Fault | None
    """The first one."""
    planned_games: int = 0
    """Games that were meant to be played; a slow bot plays fewer."""


def reference_bots() -> list[Bot]:
    """Reference bots for a ladder that has too few of its own."""
    return [found for name in REFERENCE_BOTS if (found := load_reference(name)) is not None]


def load_reference(name: str) -> Bot | None:
    """A reference bot, if it can be run here."""
    place = builtin_bots().get(name)
    if place is None:
        return None
    try:
        return load_bot(place)
    except BadBot:
        return None


def select_cells(cells: Sequence[Cell], games: int) -> list[Cell]:
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


def placement_tables(
    bot: Bot, opponents: Sequence[Bot], cells: Sequence[Cell], seed: str
) -> Iterator[tuple[Cell, list[Bot]]]:
    """Yield a table for each cell; all opponents take turns, weak and strong ones."""
    drawn = int.from_bytes(hash_parts("stichkampf-placement-1", seed)[:8]) & MAX_SAFE_INTEGER
    waiting = list[Bot]()
    for number, cell in enumerate(cells):
        others: list[Bot] = []
        while len(others) < cell.seats - 1:
            if not waiting:
                waiting = SeededShuffle(drawn)(number, opponents)
            others.append(waiting.pop())
            if len(others) > 1 and others[-1] in others[:-1]:
                others.pop()
        yield cell, sorted([bot, *others], key=lambda one: one.name)


def play_placement(
    ladder: Ladder, bot: Bot, secret: str, opponents: Sequence[Bot], on_game: GameCallback
) -> PlacementResult:
    """Play games of a bot against the ladder's reference bots, or else against built-in ones."""
    settings = ladder.settings
    needed = max(cell.seats for cell in settings.cells) - 1
    is_counted = len(opponents) >= needed
    partners = list(opponents) if is_counted else reference_bots()
    possible = [cell for cell in settings.cells if cell.seats - 1 <= len(partners)]
    wanted = select_cells(possible, settings.keys.placement.games)
    total = sum(map(placement_games, wanted))
    key_settings = block_key_settings(settings.referee_config, settings.sandbox_limits)
    played, blocks = 0, list[PlayedBlock]()
    pace = PlacementPace(placement_seconds(settings))

    def count() -> None:
        nonlocal played
        played += 1
        on_game(played, total)

    for cell, table in placement_tables(bot, partners, wanted, secret):
        if not pace.has_time_for(cell):
            break
        factory = BlockFactory(secret, cell, table, key_settings, "balanced")
        numbers = range(len(design("balanced", cell.seats)))
        chunk = Chunk(cell, tuple(range(cell.seats)), factory.blocks(numbers))
        blocks += play_with_retries(chunk, table, settings.referee_config, count)
        pace.count_cell(cell)
    return replace(
        summarize_placement(bot.name, blocks, is_counted=is_counted), planned_games=total
    )


class PlacementPace:
    """Measures how fast a bot plays, to limit the games of a slow one to the time it has."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self.decisions = 0.0

    def count_cell(self, cell: Cell) -> None:
        """Count the decisions of a cell that was played."""
        self.decisions += placement_games(cell) * decisions_per_seat(cell)

    def has_time_for(self, cell: Cell) -> bool:
        """Whether the games of one more cell fit; the first ones always do."""
        spent = time.monotonic() - self.began
        more = placement_games(cell) * decisions_per_seat(cell)
        return not self.decisions or spent * (1 + more / self.decisions) <= self.seconds


def play_with_retries(
    chunk: Chunk, table: Sequence[Bot], config: RefereeConfig, on_game: Callable[[], None]
) -> list[PlayedBlock]:
    """Play a chunk, and again while the machine kills a bot that still has excuses."""
    excuses, names = ExcuseCounter(), [bot.name for bot in table]
    while True:
        without_excuses = excuses.bots_without_excuses(names, chunk)
        try:
            with Launcher(config.sandbox) as launcher:
                lenient = replace(config, allows_excuses=True, bots_without_excuses=without_excuses)
                return play_chunk(chunk, table, launcher, lenient, on_game)
        except BotKilled as killed:
            excuses.add(killed.bot, chunk)


def summarize_placement(
    name: str, blocks: Sequence[PlayedBlock], *, is_counted: bool
) -> PlacementResult:
    """Summarize the results of a bot in its placement games."""
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
        fault = fault or find_first_fault(unpack_games(block.packed_games), name)
    meetings = [
        OpponentResult(other, int(count), ahead, points / count)
        for other, (count, ahead, points) in sorted(met.items())
    ]
    return PlacementResult(
        blocks, is_counted, games, faulty, cpu / max(1, decisions) / 1000, meetings, fault
    )


def find_first_fault(games: Sequence[StoredGame], name: str) -> Fault | None:
    """The first fault of a bot in some games."""
    for game in games:
        for fault in game.record.faults:
            if game.record.bots[fault.seat].name == name:
                return fault
    return None
