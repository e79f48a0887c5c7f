"""Excuses: kills of a bot that were not its fault, as stored in the database."""

import sqlite3
from collections.abc import Iterator

from msgspec import Struct

from arena.store.reading import Session, read_sessions


class Excuse(Struct, frozen=True, kw_only=True):
    """A chunk that was played again because a bot was killed through no fault of its own."""

    bot: str
    variant: str
    seats: int
    chunk: bytes
    """The key of the chunk's first block."""
    text: str
    """What happened to the bot, in a sentence."""
    at: str
    """The time in UTC."""
    session: Session | None = None


def insert_excuse(
    connection: sqlite3.Connection, excuse: Excuse, bot: int, session: int | None = None
) -> None:
    """Insert an excuse; `bot` and `session` are row ids."""
    connection.execute(
        "INSERT INTO excuse (session, bot, variant, seats, chunk, text, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session, bot, excuse.variant, excuse.seats, excuse.chunk, excuse.text, excuse.at),
    )


def read_excuses(connection: sqlite3.Connection) -> Iterator[Excuse]:
    """Yield all excuses, the oldest first."""
    session_by_id = read_sessions(connection)
    rows = connection.execute(
        "SELECT name, variant, seats, chunk, text, at, session"
        " FROM excuse JOIN bot ON bot.id = bot ORDER BY at, excuse.id"
    )
    for bot, variant, seats, chunk, text, at, session in rows:
        yield Excuse(
            bot=bot,
            variant=variant,
            seats=seats,
            chunk=chunk,
            text=text,
            at=at,
            session=session_by_id.get(session),
        )
