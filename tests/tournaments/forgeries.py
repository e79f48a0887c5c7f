"""What somebody can do to the file of a run who may write it and knows all of this program."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.store.block import GameResult, PlayedBlock, pack_games, unpack_games
from arena.store.run import Run
from arena.store.writing import block_entries
from arena.tournaments.check_run import RunChecker
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan_coverage import tournament_of_run
from tests.store.planned_runs import play_chunk

TABLES = ("fault", "game", "entry", "kept", "dropped")
"""What belongs to a block."""


@contextmanager
def open_database(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a run without its usual checks."""
    with closing(sqlite3.connect(folder / "run.db")) as connection, connection:
        yield connection


def sql(*statements: str) -> Callable[[Path], None]:
    """Return a forgery that executes SQL statements."""

    def forge(folder: Path) -> None:
        with open_database(folder) as connection:
            for statement in statements:
                connection.execute(statement)

    return forge


def remove(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Take blocks away with all that belongs to them."""
    for number in numbers:
        for table in TABLES:
            connection.execute(f"DELETE FROM {table} WHERE block = ?", (number,))  # noqa: S608
        connection.execute("DELETE FROM block WHERE id = ?", (number,))


def remove_newest_blocks(count: int) -> Callable[[Path], None]:
    """Remove the newest blocks, which leaves no gap."""

    def forge(folder: Path) -> None:
        with open_database(folder) as connection:
            (last,) = connection.execute("SELECT max(id) FROM block").fetchone()
            remove(connection, range(last - count + 1, last + 1))

    return forge


def remove_block_without_gap(folder: Path) -> None:
    """Remove a block and give its number to the last one."""
    with open_database(folder) as connection:
        (last,) = connection.execute("SELECT max(id) FROM block").fetchone()
        remove(connection, [2])
        for table in TABLES:
            connection.execute(f"UPDATE {table} SET block = 2 WHERE block = ?", (last,))  # noqa: S608
        connection.execute("UPDATE block SET id = 2 WHERE id = ?", (last,))


def duplicate_block(folder: Path) -> None:
    """Store a block a second time under another key."""
    with open_database(folder) as connection:
        connection.execute(
            "INSERT INTO block SELECT 13, x'00112233445566778899aabbccddeeff', variant, seats,"
            " number, seed, games, session FROM block WHERE id = 2"
        )
        for table, columns in (
            ("entry", "place, bot, points, placement, wins, faults, decisions, cpu"),
            ("game", "turn, seating, scores, ranks, points, faults, decisions, cpu"),
            ("kept", "games"),
        ):
            connection.execute(
                f"INSERT INTO {table} SELECT 13, {columns} FROM {table} WHERE block = 2"  # noqa: S608
            )


def rewrite(connection: sqlite3.Connection, number: int, results: list[GameResult]) -> None:
    """Let a block have other results, with all figures that follow from them."""
    seats = len(results[0].scores)
    for turn, one in enumerate(results):
        connection.execute(
            "UPDATE game SET scores = ?, ranks = ?, points = ? WHERE block = ? AND turn = ?",
            (
                *(
                    msgspec.json.encode(part).decode()
                    for part in (one.scores, one.ranks, one.points)
                ),
                number,
                turn,
            ),
        )
    for place, entry in enumerate(block_entries(results, seats)):
        connection.execute(
            "UPDATE entry SET points = ?, placement = ?, wins = ? WHERE block = ? AND place = ?",
            (entry.points, entry.placement, entry.wins, number, place),
        )


def won_by(block: PlayedBlock, hero: str, scores: tuple[int, int]) -> list[GameResult]:
    """Results in which one bot has the first of these scores, and all others have the second."""
    found = []
    for one in block.results:
        heroic = [block.bots[place] == hero for place in one.seating]
        told = tuple(scores[0] if is_hero else scores[1] for is_hero in heroic)
        ranks = tuple(1 + sum(other > own for other in told) for own in told)
        found.append(
            msgspec.structs.replace(
                one, scores=told, ranks=ranks, points=told, faults=(0,) * len(told)
            )
        )
    return found


def drop_records(hero: str, scores: tuple[int, int]) -> Callable[[Path], None]:
    """Drop all records, and let one bot win everything."""

    def forge(folder: Path) -> None:
        with Run.open(folder) as run:
            stored = [(run.block_rows(key).id, run.block(key)) for key in run.sorted_keys()]
        with open_database(folder) as connection:
            connection.execute("UPDATE kept SET games = x'00'")
            for number, block in stored:
                if hero not in block.bots:
                    continue
                for statement in (
                    "DELETE FROM fault WHERE block = ?",
                    "UPDATE game SET faults = '[0,0,0]' WHERE block = ?",
                    "UPDATE entry SET faults = 0 WHERE block = ?",
                ):
                    connection.execute(statement, (number,))
                rewrite(connection, number, won_by(block, hero, scores))

    return forge


def plan_of(run: Run) -> Plan:
    """The plan of a run."""
    return Plan(tournament_of_run(run.header, RunChecker(run.header).settings), run.header.seed)


def add_deals(folder: Path) -> None:
    """Play 40 deals that are not in the plan, and keep two that suit."""
    with Run.open_for_writing(folder) as run:
        plan = plan_of(run)
        cell, table = Cell("stick-em", 3), (0, 1, 2)
        planned = plan.blocks(cell, table, range(1000, 1040))
        played = play_chunk(plan.tournament.bots, Chunk(cell, table, planned))
        played.sort(key=lambda block: -block_entries(block.results, 3)[0].points)
        run.begin_session("code", 1)
        run.add(played[:2])
        run.end_session("finished", plan.totals.blocks)


def replace_deals(folder: Path) -> None:
    """Play a block of the plan again with deals of our own choice."""
    with Run.open_for_writing(folder) as run:
        header = msgspec.structs.replace(run.header, seed=f"{run.header.seed}/lucky")
        plan = Plan(tournament_of_run(header, RunChecker(header).settings), header.seed)
        run.begin_session("code", 1, None, "lucky")
        run.add(play_chunk(plan.tournament.bots, next(plan.stage_chunks(0, {}))))


def remove_games(folder: Path) -> None:
    """Keep only those games of a block that suit, and make all figures fit."""
    with Run.open(folder) as run:
        block = next(b for b in run.blocks() if run.block_rows(b.key).id == 2)
    kept, results = unpack_games(block.packed_games)[:2], block.results[:2]
    with open_database(folder) as connection:
        connection.execute("DELETE FROM game WHERE block = 2 AND turn >= 2")
        connection.execute("UPDATE block SET games = 2 WHERE id = 2")
        connection.execute("UPDATE kept SET games = ? WHERE block = 2", (pack_games(kept),))
        connection.execute("DELETE FROM entry WHERE block = 2")
        bots = dict(connection.execute("SELECT name, id FROM bot"))
        connection.executemany(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (2, place, bots[block.bots[place]], *msgspec.structs.astuple(entry))
                for place, entry in enumerate(block_entries(results, block.seats))
            ],
        )


def replace_choices(folder: Path) -> None:
    """Put another legal course of all games of a block in the place of the one that happened."""
    with Run.open(folder) as run:
        plan = plan_of(run)
        block = next(b for b in run.blocks() if run.block_rows(b.key).id == 2)
        table = tuple(plan.tournament.bot_number(name) for name in block.bots)
        cell = Cell(block.variant, block.seats)
        planned = plan.blocks(cell, table, range(block.number, block.number + 1))
        (again,) = play_chunk(plan.tournament.bots, Chunk(cell, table, planned), luck=7)
    with open_database(folder) as connection:
        connection.execute("UPDATE kept SET games = ? WHERE block = 2", (again.packed_games,))
        rewrite(connection, 2, list(again.results))


def change_turn(folder: Path) -> None:
    """Let a record say that its game was played in another turn, so that nobody can repeat it."""
    with open_database(folder) as connection:
        (kept,) = connection.execute("SELECT games FROM kept WHERE block = 1").fetchone()
        first, *rest = unpack_games(kept)
        first = replace(first, record=replace(first.record, turn=2))
        games = pack_games([first, *rest])
        connection.execute("UPDATE kept SET games = ? WHERE block = 1", (games,))


def shrink_plan(folder: Path) -> None:
    """Let the tournament always have had two deals, and take all others away."""
    with open_database(folder) as connection:
        rows = connection.execute("SELECT id FROM block WHERE number > 1 ORDER BY id DESC")
        numbers = [number for (number,) in rows.fetchall()]
        remove(connection, numbers)
        (left,) = connection.execute("SELECT count(*) FROM block").fetchone()
        ids = connection.execute("SELECT id FROM block ORDER BY id").fetchall()
        for new, (old,) in enumerate(ids, 1):
            for table in TABLES:
                connection.execute(f"UPDATE {table} SET block = ? WHERE block = ?", (new, old))  # noqa: S608
            connection.execute("UPDATE block SET id = ? WHERE id = ?", (new, old))
        connection.execute("UPDATE header SET settings = json_set(settings, '$.deals', 2)")
        connection.execute("UPDATE header SET text = replace(text, 'deals: 3', 'deals: 2')")
        connection.execute("UPDATE ending SET planned = ?, blocks = ?", (left, left))
