"""A run's folder and its database: create, open, read and write."""

import platform
import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Self

from arena.ratings.cell import Cell
from arena.ratings.overall import Roster
from arena.ratings.results import Ints, Results, SeatedGames
from arena.store import arrays, database, reading, schema, writing
from arena.store import excuses as store_excuses
from arena.store import search as store_search
from arena.store.block import PlayedBlock, StoredGame, unpack_games
from arena.store.database import BadRun, RunLock, explain_errors, transaction
from arena.store.excuses import Excuse
from arena.store.header import (
    RunHeader,
    create_database,
    find_run_file,
    read_header,
    write_header,
    write_tournament_file,
)
from arena.store.reading import BlockRows, ContradictingResult, EndReason, Session, SessionEnding
from arena.store.search import FaultRow, GameFilter, GameRow, GameSlice, IndexedGame


class Run:
    """A run's folder, opened to be read or written; to be used in a `with`."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: RunLock | None,
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
        """A new run, opened to be written: whole and empty, or not there at all.

        What it is made from is copied into the folder, unless that is where it stands anyway.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRun(f"{folder} cannot be made: {error.strerror}") from error
        lock = RunLock(folder)
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
        """Open a run to be written, which one process at a time may do."""
        find_run_file(folder)
        lock = RunLock(folder)
        try:
            return cls.open_locked(folder, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def open_locked(cls, folder: Path, lock: RunLock) -> Self:
        """Open it under a lock, and bring it up to date."""
        file = folder / database.RUN_FILE
        with explain_errors(file):
            with closing(database.connect(file, "rw")) as found:
                schema.check_version(found, file, oldest=1)  # what is no run is left as it is
            with database.close_on_error(database.open_for_writing(file)) as connection:
                schema.migrate(connection, file)
                return cls(folder, connection, lock)

    @classmethod
    def open_beside(cls, folder: Path) -> Self:
        """Open a run to be written beside the process that plays it: for a few blocks or bots."""
        file = find_run_file(folder)
        with (
            explain_errors(file),
            database.close_on_error(database.open_for_writing(file)) as connection,
        ):
            schema.check_version(connection, file)
            return cls(folder, connection, None, is_shared=True)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a run to be read, as it stands at this moment.

        One of an older version is brought up to date first.
        """
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
        """Leave the run; a writer puts all into one file."""
        if self.lock:
            database.close(self.connection)
            self.lock.close()
        else:
            self.connection.close()

    @property
    def name(self) -> str:
        """What its folder is called, also if one stands in it."""
        unnamed = self.folder.name in {"", ".."}
        return self.folder.resolve().name if unnamed else self.folder.name

    @property
    def writer(self) -> writing.BlockWriter:
        """Who puts blocks there, if this run is opened to be written."""
        if self.block_writer is None:
            raise BadRun(f"{self.folder} is opened to be read only")
        return self.block_writer

    def update(self, header: RunHeader, *, copy_file: bool = True) -> None:
        """Another header: bots may be new, but none may have gone or be another version."""
        keeper = self.writer
        with explain_errors(self.file), transaction(self.connection):
            write_header(self.connection, self.folder, header)
        keeper.load_bot_ids()
        if copy_file:
            write_tournament_file(self.folder, header.text)
        self.header = header

    def begin_session(
        self, code: str, workers: int, sandbox: str | None = None, salt: str = ""
    ) -> None:
        """Note who plays from now on."""
        keeper = self.writer
        begun = new_session(code, workers, sandbox, salt)
        with explain_errors(self.file), transaction(self.connection):
            number = keeper.add_session(begun)
        keeper.session_number = number

    def end_session(self, how: EndReason, planned: int) -> None:
        """Note how this session ended, whose plan had so many blocks at the most."""
        session = self.writer.session_number
        if session is None:
            return
        with explain_errors(self.file), transaction(self.connection):
            self.connection.execute(
                "INSERT OR REPLACE INTO ending VALUES (?, ?, ?,"
                " (SELECT count(*) FROM block), (SELECT count(*) FROM conflict))",
                (session, how, planned),
            )

    def add(self, blocks: Iterable[PlayedBlock]) -> int:
        """Keep blocks; how many were new. They are safe once this returns."""
        keeper = self.writer
        with explain_errors(self.file), transaction(self.connection):
            return sum(keeper.add(block) for block in blocks)

    def add_excuse(self, excuse: Excuse) -> None:
        """Keep an excuse of this session; it is safe once this returns."""
        keeper = self.writer
        with explain_errors(self.file), transaction(self.connection):
            store_excuses.insert(
                self.connection, excuse, keeper.bot_ids[excuse.bot], keeper.session_number
            )

    def excuses(self) -> list[Excuse]:
        """The kills that bots did not have to pay for, the oldest first."""
        with explain_errors(self.file):
            return list(store_excuses.read(self.connection))

    def remove(self, keys: Iterable[bytes]) -> None:
        """Delete blocks that turned out to be forged; they are missing then, and played again."""
        keeper = self.writer
        with explain_errors(self.file), transaction(self.connection):
            for key in keys:
                keeper.remove(key)

    def block_keys(self) -> set[bytes]:
        """The keys of all blocks that are kept."""
        with explain_errors(self.file):
            return {key for (key,) in self.connection.execute("SELECT key FROM block")}

    def game_count(self) -> int:
        """How many games are kept."""
        with explain_errors(self.file):
            (games,) = self.connection.execute("SELECT COUNT(*) FROM game").fetchone()
        return int(games)

    def cells(self) -> list[Cell]:
        """The cells that have a block."""
        with explain_errors(self.file):
            rows = self.connection.execute("SELECT DISTINCT variant, seats FROM block")
            return sorted(Cell(*row) for row in rows)

    def roster(self) -> Roster:
        """Who is rated here, and how."""
        rating = self.header.rating
        return Roster(
            name=self.header.name,
            bots=tuple(bot.name for bot in self.header.bots),
            standing="placement" if rating.get("standing") == "placement" else "score",
            anchors=tuple(rating.get("anchors") or ()),
        )

    def results(self, cell: Cell, only: Set[bytes] | None = None) -> Results:
        """What the blocks of a cell came to, by their keys: all, or only those named."""
        with explain_errors(self.file):
            return arrays.results(self.connection, self.file, cell, only)

    def storage_order(self, cell: Cell) -> tuple[list[bytes], Ints]:
        """The keys of the blocks that `results` has, and numbers that rise as they were stored."""
        with explain_errors(self.file):
            return arrays.storage_order(self.connection, self.file, cell)

    def seatings(self, cell: Cell) -> SeatedGames:
        """The games of a cell one by one, by the keys of their blocks."""
        with explain_errors(self.file):
            return arrays.seatings(self.connection, self.file, cell)

    def games(
        self,
        *,
        bot: str | None = None,
        variant: str | None = None,
        seats: int | None = None,
        fault: bool = False,
    ) -> Iterator[GameRow]:
        """The games that are looked for, by their ids; never all in memory."""
        with explain_errors(self.file):
            wanted = GameFilter(bot, variant, seats, fault)
            yield from store_search.games(self.connection, wanted)

    def games_page(self, cell: Cell, first: int, limit: int) -> list[GameRow]:
        """Some games of a cell: so many from the first that is named on, by their ids."""
        with explain_errors(self.file):
            wanted = GameFilter(variant=cell.variant, seats=cell.seats)
            return list(store_search.games(self.connection, wanted, GameSlice(first, limit)))

    def indexed_games(self, game_filter: GameFilter, portion: GameSlice) -> list[IndexedGame]:
        """Some of the games that are looked for, each with its place."""
        with explain_errors(self.file):
            return list(store_search.indexed_games(self.connection, game_filter, portion))

    def deal_seeds(self) -> Iterator[int]:
        """The deals of all blocks."""
        with explain_errors(self.file):
            for (seed,) in self.connection.execute("SELECT seed FROM block"):
                yield seed

    def packed_games(self, digits: str) -> Iterator[tuple[bytes, bytes]]:
        """Key and packed games of the blocks whose keys begin with these hexadecimal digits."""
        with explain_errors(self.file):
            yield from reading.packed_games(self.connection, digits)

    def faulty_blocks(self, digits: str) -> set[bytes]:
        """The keys that begin with these digits of blocks in which somebody was at fault."""
        with explain_errors(self.file):
            return reading.faulty_blocks(self.connection, digits)

    def fault_counts(self) -> dict[tuple[str, str], int]:
        """How many faults of each kind each bot has."""
        with explain_errors(self.file):
            return reading.fault_counts(self.connection)

    def faults(
        self, *, bot: str | None = None, variant: str | None = None, seats: int | None = None
    ) -> Iterator[FaultRow]:
        """The faults that are looked for, by the ids of their games."""
        with explain_errors(self.file):
            yield from store_search.faults(self.connection, GameFilter(bot, variant, seats))

    def sorted_keys(self) -> Iterator[bytes]:
        """The keys of all blocks, in order."""
        with explain_errors(self.file):
            for (key,) in self.connection.execute("SELECT key FROM block ORDER BY key"):
                yield key

    def blocks(self) -> Iterator[PlayedBlock]:
        """All blocks, by their keys; never all in memory."""
        return map(self.block, self.sorted_keys())

    def block(self, key: bytes) -> PlayedBlock:
        """A block by its key."""
        with explain_errors(self.file):
            found = reading.read_block(self.connection, key)
        if found is None:
            raise BadRun(f"{self.folder} holds no block {key.hex()}")
        return found

    def block_rows(self, key: bytes) -> BlockRows:
        """What the file says of a block beside its results, to be compared with them."""
        with explain_errors(self.file):
            return reading.read_block_rows(self.connection, key)

    def sessions(self) -> list[Session]:
        """All sittings at which something was played."""
        with explain_errors(self.file):
            return list(reading.sessions(self.connection).values())

    def numbered_sessions(self) -> list[tuple[int, Session]]:
        """The same with their numbers in the file."""
        with explain_errors(self.file):
            return list(reading.sessions(self.connection).items())

    def session_of(self, key: bytes) -> Session | None:
        """The sitting at which a block was played."""
        with explain_errors(self.file):
            return reading.session_of(self.connection, key)

    def contradicting_results(self) -> Iterator[ContradictingResult]:
        """Results that were put aside because they contradict one that was there."""
        with explain_errors(self.file):
            yield from reading.contradicting_results(self.connection)

    def conflict_count(self) -> int:
        """How many results were put aside."""
        with explain_errors(self.file):
            (count,) = self.connection.execute("SELECT count(*) FROM conflict").fetchone()
        return int(count)

    def dropped_digests(self) -> Iterator[tuple[bytes, bytes]]:
        """Key and hashes of the records of each block whose records were dropped."""
        with explain_errors(self.file):
            yield from reading.dropped_digests(self.connection)

    def endings(self) -> list[tuple[SessionEnding, int]]:
        """How sessions ended, and how many blocks there are of each and those before it."""
        with explain_errors(self.file):
            return reading.endings(self.connection)

    def find_problems(self, extra_scripts: Sequence[str] = ()) -> list[str]:
        """What is wrong with the file itself, each in words; games are not looked at.

        `more` are scripts that have made other tables in it.
        """
        return list(reading.find_problems(self.connection, extra_scripts))

    def find_game(self, game_id_prefix: str) -> tuple[bytes, int]:
        """The key of a game's block, and its turn, from its id or a beginning of it."""
        with explain_errors(self.file):
            return store_search.find_game(self.connection, game_id_prefix)

    def stored_game(self, game_id_prefix: str) -> StoredGame:
        """A game with all that is kept of it."""
        key, turn = self.find_game(game_id_prefix)
        return unpack_games(self.block(key).kept)[turn]


def new_session(code: str, workers: int, sandbox: str | None = None, salt: str = "") -> Session:
    """A sitting that begins now."""
    return Session(
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        code=code,
        package=version("stichkampf"),
        python=platform.python_version(),
        workers=workers,
        sandbox=sandbox,
        salt=salt,
    )
