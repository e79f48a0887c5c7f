"""Files of older versions, made by the first migrations only; and processes that open them."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from arena.store import database, schema
from arena.store.database import transaction
from arena.store.header import RunHeader, write_header
from tests.store.unwritable_folders import ROOT

SLOW = """
CREATE TABLE slow AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
SELECT max(i) AS most FROM n;
"""
"""A migration that takes a while and cannot be made twice."""


def create_old_run(folder: Path, header: RunHeader, steps: int) -> Path:
    """Create an empty run of an earlier version."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / database.RUN_FILE
    file.touch()
    with closing(database.connect(file, "rw")) as connection:
        schema.migrate(connection, file, schema.MIGRATIONS[:steps])
        with transaction(connection):
            write_header(connection, folder, header)
    return file


def run_in_parallel(
    first: str, then: str, words: Sequence[object], processes: int = 4
) -> list[str]:
    """Run a program in several processes, and return what each has printed.

    The second part of the program begins in all of them at the same time.
    """
    waiting = f"import sys\n{first}\nprint(1, flush=True); sys.stdin.readline()\n{then}"
    started = []
    for _ in range(processes):
        process = subprocess.Popen(
            [sys.executable, "-c", waiting, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
        )
        assert process.stdout
        assert process.stdout.readline() == "1\n"
        started.append(process)
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate(timeout=120)[0] for process in started]
