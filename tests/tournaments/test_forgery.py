"""A forger changes every column of a run's file, and whole runs; `arena verify` is to notice."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.ratings.cell import Cell
from arena.store.run import Run
from arena.tournaments.verify import RunVerification, verify_run
from tests.conftest import MakeOnce, RunArena
from tests.store.planned_runs import create_planned_run
from tests.tournaments import forgeries as tournaments_forgeries
from tests.tournaments.forgeries import sql

pytestmark = pytest.mark.slow

Forge = Callable[[Path], None]

NOTICED: dict[str, list[tuple[Forge, str]]] = {
    "header.name": [(sql("UPDATE header SET name = 'other'"), "another 'name'")],
    "header.text": [
        (sql("UPDATE header SET text = replace(text, 'deals: 3', 'deals: 9')"), "another 'deals'"),
        (sql("UPDATE header SET text = 'nothing'"), "its tournament's file cannot be read"),
    ],
    "header.settings": [
        (sql(f"UPDATE header SET settings = json_set(settings, '$.{key}', {value})"), said)  # noqa: S608
        for key, value, said in (
            ("protocol", "99", "it was played with protocol 99"),
            ("seed", "'other'", "the settings belong to another seed"),
            ("deals", "2", "it is not in the plan: its number is 2, and its table has 2"),
            ("deals", "4", "another 'deals'"),
            ("chunk", "1", "another 'chunk'"),
            ("cells[0][1]", "4", "it is not in the plan, which has no stick-em, 3 seats"),
            ("tables", 'json(\'{"gauntlet": "bot00"}\')', "which has no such table"),
            ("tables", "json('{\"sample\": 1}')", "which has no such table"),
            ("bots.bot00", "'2'", "the settings name other bots or versions"),
            ("stop", 'json(\'{"when": "order"}\')', "another 'stop'"),
            ("seating", "'random'", "its key is"),
            ("clock.move", "99", "its key is"),
            ("faults.retire", "99", "its key is"),
            ("anonymous", "json('false')", "its key is"),
            ("sandbox", "'x'", "its key is"),
            ("games", "1", "its key is"),
        )
    ],
    "header.seed": [(sql("UPDATE header SET seed = 'other'"), "the seed is not the one")],
    "header.commitment": [(sql("UPDATE header SET commitment = 'x'"), "the seed is not the one")],
    "header.rating": [
        (sql("UPDATE header SET rating = json_set(rating, '$.standing', 'placement')"), "'rating'")
    ],
    "session.id": [(sql("UPDATE session SET id = 9"), "belongs to no session")],
    "session.salt": [(sql("UPDATE session SET salt = 'x'"), "its deal is")],
    "bot.id": [(sql("UPDATE bot SET id = 99 WHERE id = 1"), "belongs to no bot")],
    "bot.name": [
        (sql("UPDATE bot SET name = 'eve' WHERE id = 1"), "in its record other bots sit there"),
        (
            sql(
                "UPDATE bot SET name = 'x' WHERE id = 1",
                "UPDATE bot SET name = 'bot00' WHERE id = 2",
                "UPDATE bot SET name = 'bot01' WHERE id = 1",
            ),
            "its key is",
        ),
    ],
    "bot.version": [(sql("UPDATE bot SET version = '2' WHERE id = 1"), "its deal is")],
    "bot.number": [
        (sql("UPDATE bot SET number = 9 WHERE id = 1"), "bots have numbers that do not count them"),
        (sql("UPDATE bot SET number = 1 - number WHERE id < 3"), "it is not in the plan"),
    ],
    "block.id": [(sql("UPDATE block SET id = 99 WHERE id = 2"), "blocks have been taken away")],
    "block.key": [(sql("UPDATE block SET key = zeroblob(16) WHERE id = 2"), "its key is 0000")],
    "block.variant": [(sql("UPDATE block SET variant = 'sticheln' WHERE id = 2"), "its deal is")],
    "block.seats": [(sql("UPDATE block SET seats = 4 WHERE id = 2"), "3 bots are listed")],
    "block.number": [(sql("UPDATE block SET number = 7 WHERE id = 2"), "its deal is")],
    "block.seed": [(sql("UPDATE block SET seed = 7 WHERE id = 2"), "its deal is 7")],
    "block.games": [(sql("UPDATE block SET games = 7 WHERE id = 2"), "it has 7 games, its design")],
    "block.session": [(sql("UPDATE block SET session = 7 WHERE id = 2"), "belongs to no session")],
    "entry.block": [(sql("UPDATE entry SET block = 99 WHERE block = 2"), "belong to no block")],
    "entry.place": [
        (sql("UPDATE entry SET place = 9 WHERE block = 2 AND place = 2"), "at places (0, 1, 9)"),
        (
            sql(
                "UPDATE entry SET place = 9 WHERE block = 2 AND place = 2",
                "UPDATE entry SET place = 2 WHERE block = 2 AND place = 1",
                "UPDATE entry SET place = 1 WHERE block = 2 AND place = 9",
            ),
            "its key is",
        ),
    ],
    "entry.bot": [(sql("UPDATE entry SET bot = 4 WHERE block = 2 AND place = 2"), "its deal is")],
    **{
        f"entry.{column}": [
            (
                sql(f"UPDATE entry SET {column} = {column} + 1 WHERE block = 2 AND place = 0"),  # noqa: S608
                "what its bots have come to is not the sum of its games",
            )
        ]
        for column in ("points", "placement", "wins", "faults", "decisions", "cpu")
    },
    "game.block": [(sql("UPDATE game SET block = 99 WHERE block = 2"), "belong to no block")],
    "game.turn": [
        (sql("UPDATE game SET turn = 9 WHERE block = 2 AND turn = 2"), "it is missing"),
        (
            sql(
                "INSERT INTO game SELECT block, 3, seating, scores, ranks, points, faults,"
                " decisions, cpu FROM game WHERE block = 2 AND turn = 0"
            ),
            "its block should have 3 games only",
        ),
    ],
    "game.seating": [(sql("UPDATE game SET seating = '[2,1,0]' WHERE block = 2"), "its seating")],
    **{
        f"game.{column}": [
            (sql(f"UPDATE game SET {column} = '[99,0,0]' WHERE block = 2 AND turn = 1"), said)  # noqa: S608
        ]
        for column, said in (
            ("scores", "played again its scores are"),
            ("ranks", "played again its ranks are"),
            ("points", "played again its points are"),
            ("faults", "played again its faults are"),
            ("decisions", "played again its decisions are"),
            ("cpu", "played again its cpu are"),
        )
    },
    **{
        f"fault.{column}": [(sql(f"UPDATE fault SET {column} = {value} WHERE block = 1"), said)]  # noqa: S608
        for column, value, said in (
            ("block", "2", "the faults that are listed"),
            ("turn", "1", "the faults that are listed"),
            ("number", "7", "the faults that are listed"),
            ("seat", "2", "the faults that are listed"),
            ("bot", "4", "the faults that are listed"),
            ("fault", "'timeout'", "the faults that are listed"),
            ("text", "'nothing'", "the faults that are listed"),
            ("place", "NULL", "the faults that are listed"),
        )
    },
    "kept.block": [(sql("UPDATE kept SET block = 99 WHERE block = 2"), "belong to no block")],
    "kept.games": [
        (sql("UPDATE kept SET games = x'00' WHERE block = 2"), "3 of its games have no records"),
        (tournaments_forgeries.change_turn, "its record is of turn 2"),
        (sql("UPDATE kept SET games = x'ff00' WHERE block = 2"), "cannot be read"),
        (
            sql("UPDATE kept SET games = (SELECT games FROM kept WHERE block = 3) WHERE block = 2"),
            "its record is of",
        ),
    ],
    "conflict.key": [
        (sql("INSERT INTO conflict VALUES (x'00', 1, '[]', x'00')"), "put aside belong to no block")
    ],
    "conflict.session": [
        (
            sql("INSERT INTO conflict SELECT key, 7, '[]', x'00' FROM block WHERE id = 2"),
            "belongs to no session",
        )
    ],
    "conflict.results": [
        (
            sql(
                "INSERT INTO conflict SELECT key, 1, '[]', kept.games FROM block JOIN kept"
                " ON block = id WHERE id = 2"
            ),
            "put aside: it has 3 games",
        ),
        (
            sql("INSERT INTO conflict SELECT key, 1, 'no', x'00' FROM block WHERE id = 2"),
            "put aside: ",
        ),
    ],
    "conflict.games": [
        (
            sql("INSERT INTO conflict SELECT key, 1, '[]', x'ff' FROM block WHERE id = 2"),
            "put aside: the records of a block are cut off",
        )
    ],
    "dropped.block": [
        (sql("INSERT INTO dropped VALUES (99, zeroblob(96))"), "hashes of 1 blocks belong to no")
    ],
    "dropped.digests": [
        (
            sql("INSERT INTO dropped VALUES (2, zeroblob(96))"),
            "its records do not have the hashes that are stored",
        )
    ],
    "ending.session": [(sql("UPDATE ending SET session = 7"), "belongs to no session")],
    "ending.planned": [(sql("UPDATE ending SET planned = 13"), "its plan had 13 blocks")],
    "ending.blocks": [
        (sql("UPDATE ending SET blocks = 13"), "13 blocks were stored, and of these 12")
    ],
    "ending.conflicts": [(sql("UPDATE ending SET conflicts = 1"), "1 results that were put aside")],
}
"""For each column, forgeries and what is said of them."""

TRUSTED = {
    "header.id": "SQLite holds it to 1",
    "header.created": "a time that only the writer of the file knows",
    "session.began": "a time that only the writer of the file knows",
    "session.code": "which program has played, as its operator says",
    "session.package": "which program has played, as its operator says",
    "session.python": "which program has played, as its operator says",
    "session.workers": "on how many cores, as its operator says",
    "session.sandbox": "in which sandbox, as its operator says",
    "bot.path": "where the bot lay; what it was is its version",
    **dict.fromkeys(
        (f"excuse.{name}" for name in ("id", "session", "bot", "variant", "seats", "chunk")),
        "which chunk was played again for a bot, as its operator says",
    ),
    "excuse.text": "why a chunk was played again, as its operator says",
    "excuse.at": "a time that only the writer of the file knows",
    "ending.how": "says less of a run that is whole, and of others that they are not",
}
"""Columns that nothing else in the file can prove; what the pages say of them."""

WHOLE: dict[str, tuple[Forge, str]] = {
    "everything won without records": (
        tournaments_forgeries.drop_records("bot00", (36, -12)),
        "of its games have no records",
    ),
    "impossible scores": (
        tournaments_forgeries.drop_records("bot00", (500, -500)),
        "a score of 500 is impossible, it is from -105 to 108",
    ),
    "impossible sums": (
        tournaments_forgeries.drop_records("bot00", (100, 100)),
        "a sum of scores of 300 is impossible",
    ),
    "deals beyond the plan": (
        tournaments_forgeries.add_deals,
        "and its table has 3",
    ),
    "deals of our own": (tournaments_forgeries.replace_deals, "its deals were drawn for 'lucky'"),
    "the newest blocks away": (
        tournaments_forgeries.remove_newest_blocks(2),
        "it was finished, and 2 of the 12 blocks of its plan are missing",
    ),
    "a block away without a gap": (
        tournaments_forgeries.remove_block_without_gap,
        "it was finished, and 1 of the 12 blocks of its plan are missing",
    ),
    "a block twice": (tournaments_forgeries.duplicate_block, "its key is 00112233"),
    "a game of a block away": (tournaments_forgeries.remove_games, "it has 2 games, its design 3"),
    "a block away": (sql("DELETE FROM block WHERE id = 2"), "1 blocks have been taken away"),
    "all faults away": (sql("DELETE FROM fault"), "the faults that are listed are not those"),
    "another view": (
        sql("DROP VIEW games", "CREATE VIEW games AS SELECT 1 AS id"),
        "the view 'games' is not as arena makes it",
    ),
    "a trigger": (
        sql("CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM fault; END"),
        "the trigger 't' is not as arena makes it",
    ),
    "a new bot": (
        sql("INSERT INTO bot VALUES (9, 'zoe', '1', '/', 4)"),
        "the settings name other bots or versions",
    ),
}
"""Forgeries of more than one column, and what is said of them."""

UNNOTICED: dict[str, Forge] = {
    "other legal choices": tournaments_forgeries.replace_choices,
    "a smaller plan": tournaments_forgeries.shrink_plan,
    "an unfinished run": lambda folder: (
        tournaments_forgeries.remove_newest_blocks(2)(folder),
        sql("DELETE FROM ending")(folder),
    )[0],
}
"""What no verification of the file alone can notice, as the page on tournaments says."""


@pytest.fixture
def run(tmp_path: Path, make_once: MakeOnce) -> Path:
    """A run of 12 blocks of 3 games, two of them with faults."""

    def fill(folder: Path) -> None:
        cells = (Cell("stick-em", 3),)
        create_planned_run(folder / "run", faults=True, cells=cells, seating="rotations")

    return Path(shutil.copytree(make_once("forged", fill) / "run", tmp_path / "run"))


def found_in(folder: Path) -> RunVerification:
    return verify_run(folder, lambda _done, _all: None, 1)


def said_of(found: RunVerification) -> list[str]:
    return [*found.run, *(f"{one.where}: {one.error}" for one in found.wrong)]


def test_every_column_is_forged(run: Path) -> None:
    """A new column needs a forgery, or a reason why nobody can tell."""
    assert found_in(run).is_correct
    with Run.open(run) as opened:
        columns = opened.connection.execute(
            "SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables,"
            " pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
        )
        assert {column for (column,) in columns} == NOTICED.keys() | TRUSTED.keys()


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        pytest.param(*forgery, id=f"{column}-{number}")
        for column, forgeries in NOTICED.items()
        for number, forgery in enumerate(forgeries)
    ],
)
def test_a_forged_column_is_noticed(run: Path, forge: Forge, said: str) -> None:
    forge(run)
    found = found_in(run)
    assert any(said in line for line in said_of(found)), said_of(found)


@pytest.mark.parametrize("name", WHOLE)
def test_a_forged_run_is_noticed(run: Path, name: str) -> None:
    forge, said = WHOLE[name]
    forge(run)
    found = found_in(run)
    assert any(said in line for line in said_of(found)), said_of(found)


@pytest.mark.parametrize("name", UNNOTICED)
def test_forgeries_that_cannot_be_noticed(run: Path, name: str) -> None:
    UNNOTICED[name](run)
    found = found_in(run)
    assert found.is_correct, said_of(found)


def test_results_without_records_by_the_command(run: Path, run_arena: RunArena) -> None:
    tournaments_forgeries.drop_records("bot00", (36, -12))(run)
    done = run_arena("verify", str(run))
    assert done.returncode == 1
    line = next(line for line in done.stdout.splitlines() if line.startswith("36 games"))
    assert line == (
        "36 games in 12 blocks, of which 36 have no records and could not be replayed, "
        "12 things not as they should be"
    )
    told = json.loads(run_arena("verify", "--json", str(run)).stdout)
    assert (told["games"], told["unrecorded"]) == (36, 36)
    assert run_arena("verify", "--quiet", str(run)).returncode == 1


def test_deals_beyond_the_plan_by_the_command(run: Path, run_arena: RunArena) -> None:
    tournaments_forgeries.add_deals(run)
    done = run_arena("verify", str(run))
    assert done.returncode == 1
    said = [
        line for line in done.stdout.splitlines() if "it is not in the plan: its number" in line
    ]
    assert len(said) == 2


def test_newest_blocks_away_by_the_command(run: Path, run_arena: RunArena) -> None:
    tournaments_forgeries.remove_newest_blocks(2)(run)
    done = run_arena("verify", str(run))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == ("when session 1 ended, 12 blocks were stored, and of these 10 are there")
    assert lines[1].startswith("it was finished, and 2 of the 12 blocks of its plan are missing: ")
    assert "stick-em with 3 seats, bot0" in lines[1]


def test_a_run_in_progress_is_not_a_forgery(run: Path, run_arena: RunArena) -> None:
    """Blocks that were never played are missing, which is said and is no error."""
    tournaments_forgeries.remove_newest_blocks(2)(run)
    sql("DELETE FROM ending")(run)
    done = run_arena("verify", str(run))
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.splitlines()
    assert first == (
        "30 games in 10 blocks, all as written down, all deals from the seed committed to"
    )
    assert second.startswith("unfinished: 2 of 12 blocks missing (stick-em with 3 seats, bot0")
    told = json.loads(run_arena("verify", "--json", str(run)).stdout)["coverage"]
    assert (told["planned"], told["missing"], told["ended"]) == (12, 2, None)
    assert sum(len(one["numbers"]) for one in told["named"]) == 2


def test_a_plan_that_has_grown_is_not_a_forgery(run: Path) -> None:
    """More deals than when it was finished: it is unfinished again."""
    sql(
        "UPDATE header SET settings = json_set(settings, '$.deals', 4)",
        "UPDATE header SET text = replace(text, 'deals: 3', 'deals: 4')",
    )(run)
    found = found_in(run)
    assert found.is_correct, said_of(found)
    assert found.coverage is not None
    assert (found.coverage.planned, found.coverage.missing) == (16, 4)
    assert [one.numbers for one in found.coverage.named] == [(3,)] * 4
