"""A run: the folder of a tournament, and the file in it that never loses a game."""

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
from arena.ratings.results import Ints, Results, Seatings
from arena.store import arrays, database, excuses, integrity, keeping, listing, reading, schema
from arena.store.block import Block, Kept, unpack
from arena.store.database import BadRun, explained, transaction
from arena.store.excuses import Excuse
from arena.store.founding import existing, make, read_header, write_header, write_text
from arena.store.header import Header
from arena.store.listing import Faulted, Game, Placed, Portion, Wanted
from arena.store.lock import Lock
from arena.store.reading import Aside, Ending, How, Session, Written


class Run:
    """A run's folder, opened to be read or written; to be used in a `with`."""

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: Lock | None,
        *,
        joined: bool = False,
    ) -> None:
        self.folder = folder
        self.file = folder / database.FILE
        self.connection = connection
        self.lock = lock
        self.header = read_header(connection, self.file)
        self.keeper = keeping.Keeper(connection, self.file) if lock or joined else None

    @classmethod
    def create(cls, folder: Path, header: Header, *, copied: bool = True) -> Self:
        """A new run, opened to be written: whole and empty, or not there at all.

        What it is made from is copied into the folder, unless that is where it stands anyway.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRun(f"{folder} cannot be made: {error.strerror}") from error
        lock = Lock(folder)
        try:
            if copied:
                write_text(folder, header.text)
            make(folder, header)
            return cls.begin(folder, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def write(cls, folder: Path) -> Self:
        """Open a run to be written, which one process at a time may do."""
        existing(folder)
        lock = Lock(folder)
        try:
            return cls.begin(folder, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def begin(cls, folder: Path, lock: Lock) -> Self:
        """Open it under a lock, and bring it up to date."""
        file = folder / database.FILE
        with explained(file):
            with closing(database.connect(file, "rw")) as found:
                schema.check(found, file, oldest=1)  # what is no run is left as it is
            with database.kept_open(database.for_writing(file)) as connection:
                schema.migrate(connection, file)
                return cls(folder, connection, lock)

    @classmethod
    def join(cls, folder: Path) -> Self:
        """Open a run to be written beside the process that plays it: for a few blocks or bots."""
        file = existing(folder)
        with explained(file), database.kept_open(database.for_writing(file)) as connection:
            schema.check(connection, file)
            return cls(folder, connection, None, joined=True)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a run to be read, as it stands at this moment.

        One of an older version is brought up to date first.
        """
        file = existing(folder)
        with explained(file), database.kept_open(database.for_reading(file)) as connection:
            if not schema.outdated(connection):
                schema.check(connection, file)
                return cls(folder, connection, None)
            connection.close()
        try:
            cls.write(folder).close()
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
    def writer(self) -> keeping.Keeper:
        """Who puts blocks there, if this run is opened to be written."""
        if self.keeper is None:
            raise BadRun(f"{self.folder} is opened to be read only")
        return self.keeper

    def update(self, header: Header, *, copied: bool = True) -> None:
        """Another header: bots may be new, but none may have gone or be another version."""
        keeper = self.writer
        with explained(self.file), transaction(self.connection):
            write_header(self.connection, self.folder, header)
        keeper.learn()
        if copied:
            write_text(self.folder, header.text)
        self.header = header

    def session(self, code: str, workers: int, sandbox: str | None = None, salt: str = "") -> None:
        """Note who plays from now on."""
        keeper = self.writer
        begun = about(code, workers, sandbox, salt)
        with explained(self.file), transaction(self.connection):
            number = keeper.begin(begun)
        keeper.session = number

    def end(self, how: How, planned: int) -> None:
        """Note how this session ended, whose plan had so many blocks at the most."""
        session = self.writer.session
        if session is None:
            return
        with explained(self.file), transaction(self.connection):
            self.connection.execute(
                "INSERT OR REPLACE INTO ending VALUES (?, ?, ?,"
                " (SELECT count(*) FROM block), (SELECT count(*) FROM conflict))",
                (session, how, planned),
            )

    def add(self, blocks: Iterable[Block]) -> int:
        """Keep blocks; how many were new. They are safe once this returns."""
        keeper = self.writer
        with explained(self.file), transaction(self.connection):
            return sum(keeper.add(block) for block in blocks)

    def excuse(self, excuse: Excuse) -> None:
        """Keep an excuse of this session; it is safe once this returns."""
        keeper = self.writer
        with explained(self.file), transaction(self.connection):
            excuses.insert(self.connection, excuse, keeper.bots[excuse.bot], keeper.session)

    def excuses(self) -> list[Excuse]:
        """The kills that bots did not have to pay for, the oldest first."""
        with explained(self.file):
            return list(excuses.read(self.connection))

    def remove(self, keys: Iterable[bytes]) -> None:
        """Delete blocks that turned out to be forged; they are missing then, and played again."""
        keeper = self.writer
        with explained(self.file), transaction(self.connection):
            for key in keys:
                keeper.remove(key)

    def done(self) -> set[bytes]:
        """The keys of all blocks that are kept."""
        with explained(self.file):
            return {key for (key,) in self.connection.execute("SELECT key FROM block")}

    def size(self) -> int:
        """How many games are kept."""
        with explained(self.file):
            (games,) = self.connection.execute("SELECT COUNT(*) FROM game").fetchone()
        return int(games)

    def cells(self) -> list[Cell]:
        """The cells that have a block."""
        with explained(self.file):
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
        with explained(self.file):
            return arrays.results(self.connection, self.file, cell, only)

    def stored(self, cell: Cell) -> tuple[list[bytes], Ints]:
        """The keys of the blocks that `results` has, and numbers that rise as they were stored."""
        with explained(self.file):
            return arrays.stored(self.connection, self.file, cell)

    def seatings(self, cell: Cell) -> Seatings:
        """The games of a cell one by one, by the keys of their blocks."""
        with explained(self.file):
            return arrays.seatings(self.connection, self.file, cell)

    def games(
        self,
        *,
        bot: str | None = None,
        variant: str | None = None,
        seats: int | None = None,
        fault: bool = False,
    ) -> Iterator[Game]:
        """The games that are looked for, by their ids; never all in memory."""
        with explained(self.file):
            wanted = Wanted(bot, variant, seats, fault)
            yield from listing.games(self.connection, wanted)

    def page(self, cell: Cell, first: int, most: int) -> list[Game]:
        """Some games of a cell: so many from the first that is named on, by their ids."""
        with explained(self.file):
            wanted = Wanted(variant=cell.variant, seats=cell.seats)
            return list(listing.games(self.connection, wanted, Portion(first, most)))

    def search(self, wanted: Wanted, portion: Portion) -> list[Placed]:
        """Some of the games that are looked for, each with its place."""
        with explained(self.file):
            return list(listing.placed(self.connection, wanted, portion))

    def seeds(self) -> Iterator[int]:
        """The deals of all blocks."""
        with explained(self.file):
            for (seed,) in self.connection.execute("SELECT seed FROM block"):
                yield seed

    def packed(self, digits: str) -> Iterator[tuple[bytes, bytes]]:
        """Key and packed games of the blocks whose keys begin with these hexadecimal digits."""
        with explained(self.file):
            yield from reading.packed(self.connection, digits)

    def faulty(self, digits: str) -> set[bytes]:
        """The keys that begin with these digits of blocks in which somebody was at fault."""
        with explained(self.file):
            return reading.faulty(self.connection, digits)

    def faulted(self) -> dict[tuple[str, str], int]:
        """How many faults of each kind each bot has."""
        with explained(self.file):
            return reading.faulted(self.connection)

    def faults(
        self, *, bot: str | None = None, variant: str | None = None, seats: int | None = None
    ) -> Iterator[Faulted]:
        """The faults that are looked for, by the ids of their games."""
        with explained(self.file):
            yield from listing.faults(self.connection, Wanted(bot, variant, seats))

    def sorted_keys(self) -> Iterator[bytes]:
        """The keys of all blocks, in order."""
        with explained(self.file):
            for (key,) in self.connection.execute("SELECT key FROM block ORDER BY key"):
                yield key

    def blocks(self) -> Iterator[Block]:
        """All blocks, by their keys; never all in memory."""
        return map(self.block, self.sorted_keys())

    def block(self, key: bytes) -> Block:
        """A block by its key."""
        with explained(self.file):
            found = reading.read(self.connection, key)
        if found is None:
            raise BadRun(f"{self.folder} holds no block {key.hex()}")
        return found

    def written(self, key: bytes) -> Written:
        """What the file says of a block beside its results, to be compared with them."""
        with explained(self.file):
            return reading.written(self.connection, key)

    def sessions(self) -> list[Session]:
        """All sittings at which something was played."""
        with explained(self.file):
            return list(reading.sessions(self.connection).values())

    def numbered_sessions(self) -> list[tuple[int, Session]]:
        """The same with their numbers in the file."""
        with explained(self.file):
            return list(reading.sessions(self.connection).items())

    def session_of(self, key: bytes) -> Session | None:
        """The sitting at which a block was played."""
        with explained(self.file):
            return reading.session_of(self.connection, key)

    def asides(self) -> Iterator[Aside]:
        """Results that were put aside because they contradict one that was there."""
        with explained(self.file):
            yield from reading.asides(self.connection)

    def conflicts(self) -> int:
        """How many results were put aside."""
        with explained(self.file):
            (count,) = self.connection.execute("SELECT count(*) FROM conflict").fetchone()
        return int(count)

    def dropped(self) -> Iterator[tuple[bytes, bytes]]:
        """Key and hashes of the records of each block whose records were dropped."""
        with explained(self.file):
            yield from reading.dropped(self.connection)

    def endings(self) -> list[tuple[Ending, int]]:
        """How sessions ended, and how many blocks there are of each and those before it."""
        with explained(self.file):
            return reading.endings(self.connection)

    def findings(self, more: Sequence[str] = ()) -> list[str]:
        """What is wrong with the file itself, each in words; games are not looked at.

        `more` are scripts that have made other tables in it.
        """
        return list(integrity.findings(self.connection, more))

    def find(self, game: str) -> tuple[bytes, int]:
        """The key of a game's block, and its turn, from its id or a beginning of it."""
        with explained(self.file):
            return listing.find(self.connection, game)

    def kept(self, game: str) -> Kept:
        """A game with all that is kept of it."""
        key, turn = self.find(game)
        return unpack(self.block(key).kept)[turn]


def about(code: str, workers: int, sandbox: str | None = None, salt: str = "") -> Session:
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
