"""Versions of the tables: made in steps, each whole; newer ones are refused."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena.referee.faults import Fault
from arena.store import schema
from arena.store.database import BadRun, lock_run
from arena.store.run import Run
from tests.cli.invoke import invoke_arena
from tests.store.blocks import make_block, make_header
from tests.store.old_versions import create_old_run, run_in_parallel

SECOND = "CREATE TABLE second (a TEXT) STRICT;\nINSERT INTO second VALUES ('; not the end');\n"
BROKEN = "CREATE TABLE third (a TEXT) STRICT;\nINSERT INTO nowhere VALUES (1);\n"


def new(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, isolation_level=None)


def test_step_by_step(tmp_path: Path) -> None:
    file = tmp_path / "run.db"
    with closing(new(file)) as connection:
        schema.migrate(connection, file)
        assert schema.schema_version(connection) == len(schema.MIGRATIONS)
        schema.migrate(connection, file, (*schema.MIGRATIONS, SECOND))
        assert schema.schema_version(connection) == len(schema.MIGRATIONS) + 1
        assert connection.execute("SELECT a FROM second").fetchall() == [("; not the end",)]


def test_a_step_that_fails_is_not_made(tmp_path: Path) -> None:
    file = tmp_path / "run.db"
    with closing(new(file)) as connection:
        schema.migrate(connection, file)
        before = connection.execute("SELECT * FROM sqlite_schema").fetchall()
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            schema.migrate(connection, file, (*schema.MIGRATIONS, BROKEN))
        assert schema.schema_version(connection) == len(schema.MIGRATIONS)
        assert connection.execute("SELECT * FROM sqlite_schema").fetchall() == before


def test_a_newer_version(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        run.connection.execute("PRAGMA user_version = 99")
    for use in (Run.open, Run.open_for_writing):
        with pytest.raises(BadRun, match=r"made by a newer version of arena .* update arena"):
            use(tmp_path)


@pytest.mark.parametrize("steps", range(1, len(schema.MIGRATIONS)))
@pytest.mark.parametrize("use", [Run.open, Run.open_for_writing])
def test_an_older_version_is_brought_up_to_date(
    tmp_path: Path, steps: int, use: Callable[[Path], Run]
) -> None:
    file = create_old_run(tmp_path, make_header(), steps)
    with use(tmp_path) as run:
        assert run.header == make_header()
        assert run.sessions() == []
    with closing(new(file)) as connection:
        assert schema.schema_version(connection) == len(schema.MIGRATIONS)
    with Run.open_for_writing(tmp_path) as run:
        run.add([make_block()])


def test_an_older_version_that_is_being_played(tmp_path: Path) -> None:
    create_old_run(tmp_path, make_header(), 1)
    lock = lock_run(tmp_path)
    try:
        with pytest.raises(
            BadRun,
            match=r"made by an older version of arena and has to be brought up to date, "
            r"but .* is being played by process [0-9]+; wait or stop it$",
        ):
            Run.open(tmp_path)
    finally:
        lock.close()
    Run.open(tmp_path).close()


def test_an_old_run_names_the_command_that_upgrades_it(tmp_path: Path) -> None:
    create_old_run(tmp_path / "a run", make_header(), 1)
    with pytest.raises(BadRun, match=r"older version .*'arena standings '.*/a run'' brings it up"):
        Run.open_beside(tmp_path / "a run")
    done = invoke_arena("standings", tmp_path / "a run")
    assert (done.exit_code, done.stderr) == (0, "")
    Run.open_beside(tmp_path / "a run").close()


@pytest.mark.slow
def test_processes_that_bring_a_file_up_to_date_at_once(tmp_path: Path) -> None:
    """Each has seen the old version before the first has changed it."""
    file = create_old_run(tmp_path, make_header(), len(schema.MIGRATIONS))
    first = (
        "from pathlib import Path\nfrom arena.store import database, schema\n"
        "from tests.store.old_versions import SLOW\n"
        "file = Path(sys.argv[1])\n"
        "connection = database.open_for_writing(file)"
    )
    then = "schema.migrate(connection, file, (*schema.MIGRATIONS, SLOW))"
    assert run_in_parallel(first, then, [file]) == [""] * 4
    with closing(new(file)) as connection:
        assert schema.schema_version(connection) == len(schema.MIGRATIONS) + 1
        assert connection.execute("SELECT most FROM slow").fetchall() == [(1000000,)]


def test_some_other_file_of_sqlite(tmp_path: Path) -> None:
    with closing(new(tmp_path / "run.db")) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    for use in (Run.open, Run.open_for_writing):
        with pytest.raises(BadRun, match=r"run\.db is not the file of a run"):
            use(tmp_path)


def test_types_are_held(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        strict = run.connection.execute(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict"
            " AND name NOT LIKE 'sqlite_%'"
        )
        assert strict.fetchall() == []
        for bad in (b"short", "0123456789abcdef"):
            with pytest.raises(sqlite3.IntegrityError):
                run.connection.execute(
                    "INSERT INTO block VALUES (1, ?, 'sticheln', 3, 0, 0, 3, NULL)", (bad,)
                )


def test_the_game_view(tmp_path: Path) -> None:
    one = make_block(bots=("cleo", "ann", "bob"))
    with Run.create(tmp_path, make_header()) as run:
        run.add([one])
        rows = run.connection.execute("SELECT id, bots, scores FROM games ORDER BY id").fetchall()
        listed = [(game.id, list(game.bots), list(game.scores)) for game in run.games()]
    assert [(id_, eval(bots), eval(scores)) for id_, bots, scores in rows] == listed  # noqa: S307
    assert listed[1][1] == ["ann", "bob", "cleo"]


def test_the_page(tmp_path: Path) -> None:
    """It explains every table and column, and its queries return rows."""
    page = Path(schema.__file__).with_name("README.md").read_text()
    items = dict(re.findall(r"^- \*\*`(\w+)`\*\*(.*?)(?=^-|^\n)", page, re.MULTILINE | re.DOTALL))
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_block(faults=(Fault(0, "illegal", "no"),))])
        tables = run.connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        )
        for (table,) in tables.fetchall():
            columns = run.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            for (column,) in columns.fetchall():
                assert column == "id" or f"`{column}`" in items[table]
        queries = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        assert len(queries) == 3
        for query in queries:
            assert run.connection.execute(query).fetchall()
