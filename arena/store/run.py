"""A run: its folder and database, created, opened, read and written."""

import platform
import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Self

from arena.file_lock import FileLock
from arena.ratings.cell import Cell
from arena.ratings.overall import Roster
from arena.ratings.results import Ints, Results, SeatedGames
from arena.store import arrays, consistency, database, excuses, reading, schema, search, writing
from arena.store.block import PlayedBlock, StoredGame, unpack_games
from arena.store.database import BadRun, explain_errors, lock_run, transaction
from arena.store.excuses import Excuse
from arena.store.header import (
    RunHeader,
    create_database,
    find_run_file,
    read_header,
    utc_now,
    write_header,
    write_tournament_file,
)
from arena.store.reading import BlockRows, ContradictingResult, EndReason, Session, SessionEnding
from arena.store.search import FaultRow, GameFilter, GameRow, GameSlice, IndexedGame


class Run:
    """A run that is open for reading or writing; used in a `with` statement."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: FileLock | None,
        *,
        is_shared: bool = False,
    ) -> None:
        self.folder = folder
        self.file = folder / database.RUN_FILE
        self.connection = connection
        self.lock = lock
        self.header = read_header(connection, self.file)
        self.block_writer = (
            writing.BlockWriter(connection, self.file) if lock or is_shared else None
        )

    @classmethod
    def create(cls, folder: Path, header: RunHeader, *, copy_file: bool = True) -> Self:
        """Create an empty run and open it for writing; on an error no run is left behind.

        With `copy_file` the text of its tournament is written into the folder.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRun(f"{folder} cannot be made: {error.strerror}") from error
        lock = lock_run(folder)
        try:
            if copy_file:
                write_tournament_file(folder, header.text)
            create_database(folder, header)
            return cls.open_locked(folder, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open_for_writing(cls, folder: Path) -> Self:
        """Open a run for writing, which one process at a time may do."""
        find_run_file(folder)
        lock = lock_run(folder)
        try:
            return cls.open_locked(folder, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open_locked(cls, folder: Path, lock: FileLock) -> Self:
        """Open a run whose lock is held, and bring its database up to date."""
        file = folder / database.RUN_FILE
        with explain_errors(file):
            with closing(database.connect(file, "rw")) as found:
                schema.check_version(
                    found, file, oldest=1
                )  # leaves a file that is not a run as it is
            with database.close_on_error(database.open_for_writing(file)) as connection:
                schema.migrate(connection, file)
                return cls(folder, connection, lock)

    @classmethod
    def open_beside(cls, folder: Path) -> Self:
        """Open a run for writing while another process plays it, to add a few blocks or bots."""
        file = find_run_file(folder)
        with (
            explain_errors(file),
            database.close_on_error(database.open_for_writing(file)) as connection,
        ):
            schema.check_version(connection, file)
            return cls(folder, connection, None, is_shared=True)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a snapshot of a run for reading; an older version is brought up to date first."""
        file = find_run_file(folder)
        with (
            explain_errors(file),
            database.close_on_error(database.open_for_reading(file)) as connection,
        ):
            if not schema.is_outdated(connection):
                schema.check_version(connection, file)
                return cls(folder, connection, None)
            connection.close()
        try:
            cls.open_for_writing(folder).close()
        except BadRun as error:
            raise BadRun(
                f"{file} was made by an older version of arena and has to be brought up to date, "
                f"but {error}"
            ) from error
        return cls.open(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the run; a writer merges the write-ahead log into the database."""
        if self.lock:
            database.close_database(self.connection)
            self.lock.close()
        else:
            self.connection.close()

    @property
    def name(self) -> str:
        """The name of its folder, even if the path is '.' or '..'."""
        unnamed = self.folder.name in {"", ".."}
        return self.folder.resolve().name if unnamed else self.folder.name

    @property
    def writer(self) -> writing.BlockWriter:
        """The writer of blocks, if this run is open for writing."""
        if self.block_writer is None:
            raise BadRun(f"{self.folder} is opened to be read only")
        return self.block_writer

    def update(self, header: RunHeader, *, copy_file: bool = True) -> None:
        """Replace the header; bots that have played must stay, in the same version."""
        writer = self.writer
        with explain_errors(self.file), transaction(self.connection):
            write_header(self.connection, self.folder, header)
        writer.load_bot_ids()
        if copy_file:
            write_tournament_file(self.folder, header.text)
        self.header = header

    def begin_session(
        self, code: str, workers: int, sandbox: str | None = None, salt: str = ""
    ) -> None:
        """Store a session, to which all further blocks belong."""
        writer = self.writer
        session = new_session(code, workers, sandbox, salt)
        with explain_errors(self.file), transaction(self.connection):
            session_id = writer.add_session(session)
        writer.session_id = session_id

    def end_session(self, how: EndReason, planned: int) -> None:
        """Store how this session ended, and how many blocks its plan had at the most."""
        session = self.writer.session_id
        if session is None:
            return
        with explain_errors(self.file), transaction(self.connection):
            self.connection.execute(
                "INSERT OR REPLACE INTO ending VALUES (?, ?, ?,"
                " (SELECT count(*) FROM block), (SELECT count(*) FROM conflict))",
                (session, how, planned),
            )

    def add(self, blocks: Iterable[PlayedBlock]) -> int:
        """Store blocks and return how many were new; they are safe once this returns."""
        writer = self.writer
        with explain_errors(self.file), transaction(self.connection):
            return sum(writer.add(block) for block in blocks)

    def add_excuse(self, excuse: Excuse) -> None:
        """Store an excuse of this session; it is safe once this returns."""
        writer = self.writer
        with explain_errors(self.file), transaction(self.connection):
            excuses.insert_excuse(
                self.connection, excuse, writer.bot_ids[excuse.bot], writer.session_id
            )

    def excuses(self) -> list[Excuse]:
        """Return the kills that were no fault of the bots, the oldest first."""
        with explain_errors(self.file):
            return list(excuses.read_excuses(self.connection))

    def remove(self, keys: Iterable[bytes]) -> None:
        """Delete blocks that turned out to be forged, so that they are played again."""
        writer = self.writer
        with explain_errors(self.file), transaction(self.connection):
            for key in keys:
                writer.remove(key)

    def block_keys(self) -> set[bytes]:
        """Return the keys of all blocks."""
        with explain_errors(self.file):
            return {key for (key,) in self.connection.execute("SELECT key FROM block")}

    def game_count(self) -> int:
        """Count the games."""
        with explain_errors(self.file):
            (games,) = self.connection.execute("SELECT COUNT(*) FROM game").fetchone()
        return int(games)

    def cells(self) -> list[Cell]:
        """Return the cells that have a block."""
        with explain_errors(self.file):
            rows = self.connection.execute("SELECT DISTINCT variant, seats FROM block")
            return sorted(Cell(*row) for row in rows)

    def roster(self) -> Roster:
        """Return the bots that are rated, and how."""
        rating = self.header.rating
        return Roster(
            name=self.header.name,
            bots=tuple(bot.name for bot in self.header.bots),
            standing="placement" if rating.get("standing") == "placement" else "score",
            anchors=tuple(rating.get("anchors") or ()),
        )

    def results(self, cell: Cell, only: Set[bytes] | None = None) -> Results:
        """Return the results of the blocks of a cell, or of some of them, in the order of keys."""
        with explain_errors(self.file):
            return arrays.load_results(self.connection, self.file, cell, only)

    def storage_order(self, cell: Cell) -> tuple[list[bytes], Ints]:
        """Return the keys of the blocks in `results`, and row ids that rise as they are stored."""
        with explain_errors(self.file):
            return arrays.storage_order(self.connection, self.file, cell)

    def seatings(self, cell: Cell) -> SeatedGames:
        """Return the games of a cell in the order of the keys of their blocks."""
        with explain_errors(self.file):
            return arrays.load_seated_games(self.connection, self.file, cell)

    def games(
        self,
        *,
        bot: str | None = None,
        variant: str | None = None,
        seats: int | None = None,
        fault: bool = False,
    ) -> Iterator[GameRow]:
        """Yield games in the order of their ids; not all are in memory at once."""
        with explain_errors(self.file):
            yield from search.find_games(self.connection, GameFilter(bot, variant, seats, fault))

    def games_page(self, cell: Cell, first: int, limit: int) -> list[GameRow]:
        """Return at most `limit` games of a cell, sorted by id, from index `first` on."""
        with explain_errors(self.file):
            game_filter = GameFilter(variant=cell.variant, seats=cell.seats)
            return list(search.find_games(self.connection, game_filter, GameSlice(first, limit)))

    def indexed_games(self, game_filter: GameFilter, portion: GameSlice) -> list[IndexedGame]:
        """Return a part of the games that match, each with its block key and turn."""
        with explain_errors(self.file):
            return list(search.find_indexed_games(self.connection, game_filter, portion))

    def deal_seeds(self) -> Iterator[int]:
        """Yield the seeds of the deals of all blocks."""
        with explain_errors(self.file):
            for (seed,) in self.connection.execute("SELECT seed FROM block"):
                yield seed

    def packed_games(self, digits: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield key and packed games of blocks whose keys begin with these hexadecimal digits."""
        with explain_errors(self.file):
            yield from reading.packed_games(self.connection, digits)

    def faulty_blocks(self, digits: str) -> set[bytes]:
        """Return the keys of blocks with a fault that begin with these hexadecimal digits."""
        with explain_errors(self.file):
            return reading.faulty_blocks(self.connection, digits)

    def fault_counts(self) -> dict[tuple[str, str], int]:
        """Count the faults by bot and kind."""
        with explain_errors(self.file):
            return reading.fault_counts(self.connection)

    def faults(
        self, *, bot: str | None = None, variant: str | None = None, seats: int | None = None
    ) -> Iterator[FaultRow]:
        """Yield faults in the order of the ids of their games."""
        with explain_errors(self.file):
            yield from search.find_faults(self.connection, GameFilter(bot, variant, seats))

    def sorted_keys(self) -> Iterator[bytes]:
        """Yield the keys of all blocks in order."""
        with explain_errors(self.file):
            for (key,) in self.connection.execute("SELECT key FROM block ORDER BY key"):
                yield key

    def blocks(self) -> Iterator[PlayedBlock]:
        """Yield all blocks in the order of their keys; not all are in memory at once."""
        return map(self.block, self.sorted_keys())

    def block(self, key: bytes) -> PlayedBlock:
        """Return the block with this key."""
        with explain_errors(self.file):
            block = reading.read_block(self.connection, key)
        if block is None:
            raise BadRun(f"{self.folder} holds no block {key.hex()}")
        return block

    def block_rows(self, key: bytes) -> BlockRows:
        """Return the rows of a block that repeat its results."""
        with explain_errors(self.file):
            return reading.read_block_rows(self.connection, key)

    def sessions(self) -> list[Session]:
        """Return all sessions."""
        with explain_errors(self.file):
            return list(reading.read_sessions(self.connection).values())

    def numbered_sessions(self) -> list[tuple[int, Session]]:
        """Return all sessions with their row ids."""
        with explain_errors(self.file):
            return list(reading.read_sessions(self.connection).items())

    def session_of(self, key: bytes) -> Session | None:
        """Return the session in which a block was played."""
        with explain_errors(self.file):
            return reading.session_of(self.connection, key)

    def contradicting_results(self) -> Iterator[ContradictingResult]:
        """Yield the results that contradict those of a block."""
        with explain_errors(self.file):
            yield from reading.contradicting_results(self.connection)

    def conflict_count(self) -> int:
        """Count the results that contradict those of a block."""
        with explain_errors(self.file):
            (count,) = self.connection.execute("SELECT count(*) FROM conflict").fetchone()
        return int(count)

    def dropped_digests(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the key of each block whose records were dropped, and their hashes."""
        with explain_errors(self.file):
            yield from reading.dropped_digests(self.connection)

    def endings(self) -> list[tuple[SessionEnding, int]]:
        """Return how sessions ended, each with the blocks stored by it and all earlier sessions."""
        with explain_errors(self.file):
            return reading.read_endings(self.connection)

    def find_problems(self, extra_scripts: Sequence[str] = ()) -> list[str]:
        """Return what is wrong with the database itself; games are not checked.

        `extra_scripts` have created further tables in it.
        """
        return list(consistency.find_problems(self.connection, extra_scripts))

    def find_game(self, game_id_prefix: str) -> tuple[bytes, int]:
        """Find the block key and turn of a game by its id, whose digits may be more or fewer."""
        with explain_errors(self.file):
            return search.find_game(self.connection, game_id_prefix)

    def stored_game(self, game_id_prefix: str) -> StoredGame:
        """Return a game with its record."""
        key, turn = self.find_game(game_id_prefix)
        return unpack_games(self.block(key).packed_games)[turn]


def new_session(code: str, workers: int, sandbox: str | None = None, salt: str = "") -> Session:
    """Describe a session that begins now."""
    return Session(
        began=utc_now(),
        code=code,
        package=version("stichkampf"),
        python=platform.python_version(),
        workers=workers,
        sandbox=sandbox,
        salt=salt,
    )
