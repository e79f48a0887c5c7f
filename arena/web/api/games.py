"""Games of the ladder: found some at a time, and single ones with their records."""

import sqlite3
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.match.record import Record
from arena.store.block import GONE, KEY, quiet, unpack
from arena.store.database import explained
from arena.store.listing import Game, UnknownGame, game_id, names
from arena.store.reading import numbers
from arena.store.run import Run
from arena.web.api.bots import Limit
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import Answer, Operation
from arena.web.api.standings import Seats, Variant

WANTED: Final = """
SELECT block.id, key, turn, variant, seats, number, seed, seating,
    scores, ranks, points, faults, decisions, cpu
FROM block JOIN game ON block = block.id
WHERE key >= :key AND (key > :key OR turn > :turn)
    AND (:variant IS NULL OR variant = :variant) AND (:seats IS NULL OR seats = :seats)
    AND (:bot IS NULL OR EXISTS (SELECT 1 FROM entry
        WHERE block = block.id AND bot = (SELECT id FROM bot WHERE name = :bot)))
    AND (NOT :fault OR EXISTS (SELECT 1 FROM fault
        WHERE block = block.id AND turn = game.turn
            AND (:bot IS NULL OR bot = (SELECT id FROM bot WHERE name = :bot))))
ORDER BY key, turn LIMIT :most
"""
STEPS: Final = 100_000
"""Instructions of SQLite between two looks at how many there were."""
LOOKS: Final = 2_000
"""So many looks, some seconds, and a search is given up."""


class Wanted(Struct, frozen=True):
    """Which games are wanted."""

    bot: (
        Annotated[
            str,
            Meta(
                pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,31} v[1-9][0-9]{0,5}$",
                max_length=40,
                description="only games of this version, such as `ann v3`",
            ),
        ]
        | UnsetType
    ) = UNSET
    variant: Variant | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET
    fault: Annotated[
        bool, Meta(description="only games with a fault: of this version, if one is named")
    ] = False
    after: (
        Annotated[
            str,
            Meta(
                pattern="^[0-9a-f]{10,32}-[0-9]{1,3}$",
                max_length=36,
                description="those after this one: what `next` says, or an id",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: Limit = 100


class One(Struct, frozen=True):
    """Which game is wanted."""

    id: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{4,32}-[0-9]{1,3}$",
            max_length=36,
            description="the id of a game, such as 1f0a2b3c4d-2",
        ),
    ]


class Games(Struct, frozen=True, kw_only=True):
    """Some games, by their ids."""

    games: tuple[Game, ...]
    next: str | None
    """What to ask for `after`, if there may be more."""


class Played(Struct, frozen=True, kw_only=True):
    """A game with all that is kept of it."""

    game: Game
    page: str
    """Where it can be watched."""
    record: Record | None
    """What `arena replay` and `arena verify` take; None if it was dropped to save room."""


async def games(desk: Desk, _: Request, asked: Wanted) -> Games:
    """Some games after the one that is named."""
    return await desk.stored(lambda run: search(run, asked))


def search(run: Run, asked: Wanted) -> Games:
    """Some games of a run."""
    key, turn = b"", -1
    if asked.after is not UNSET:
        key, turn = place(run, asked.after)
    values = {
        "key": key,
        "turn": turn,
        "bot": None if asked.bot is UNSET else asked.bot,
        "variant": None if asked.variant is UNSET else asked.variant,
        "seats": None if asked.seats is UNSET else asked.seats,
        "fault": asked.fault,
        "most": asked.limit,
    }
    with explained(run.file):
        try:
            return found(run.connection, values, asked.limit)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            raise Failure(503, "this takes too long to be looked for; ask for less") from error


def found(connection: sqlite3.Connection, values: dict[str, object], limit: int) -> Games:
    """What a search comes to, unless it takes too long."""
    looks = 0

    def enough() -> bool:
        nonlocal looks
        looks += 1
        return looks > LOOKS

    connection.set_progress_handler(enough, STEPS)
    some: list[Game] = []
    last = ""
    tables: dict[int, tuple[str, ...]] = {}
    for block, key, turn, variant, seats, number, seed, seating, *fields in connection.execute(
        WANTED, values
    ).fetchall():
        if block not in tables:
            tables = {block: names(connection, block)}
        bots = tuple(tables[block][seat] for seat in numbers(seating))
        id_ = game_id(key, turn)
        some.append(Game(id_, variant, seats, number, seed, bots, *map(numbers, fields)))
        last = f"{key.hex()}-{turn}"
    return Games(games=tuple(some), next=last if len(some) == limit else None)


def place(run: Run, after: str) -> tuple[bytes, int]:
    """The key of a game's block and its turn."""
    digits, _, turn = after.partition("-")
    if len(digits) == 2 * KEY:
        return bytes.fromhex(digits), int(turn)
    try:
        return run.find(after)
    except UnknownGame as error:
        raise Failure(404, str(error)) from error


async def game(desk: Desk, _: Request, asked: One) -> Played:
    """A game by its id."""
    return await desk.stored(lambda run: single(run, asked.id))


def single(run: Run, wanted: str) -> Played:
    """A game of a run."""
    try:
        key, turn = run.find(wanted)
    except UnknownGame as error:
        raise Failure(404, str(error)) from error
    block = run.block(key)
    result = block.results[turn]
    name = game_id(key, turn)
    return Played(
        game=Game(
            name,
            block.variant,
            block.seats,
            block.number,
            block.seed,
            tuple(block.bots[seat] for seat in result.seating),
            result.scores,
            result.ranks,
            result.points,
            result.faults,
            result.decisions,
            result.cpu,
        ),
        page=f"game.html?game={name}",
        record=quiet(unpack(block.kept)[turn]).record if block.kept != GONE else None,
    )


OPERATIONS = (
    Operation(
        name="games",
        method="GET",
        path="/api/games",
        says="Games by their ids, some at a time: ask again after `next` until it is null.",
        handle=games,
        asked=Wanted,
        answers={
            200: Answer("Some games", Games),
            404: Answer("There is no game of which it is asked what comes after it"),
        },
    ),
    Operation(
        name="game",
        method="GET",
        path="/api/games/{id}",
        says="A game: what it came to, and its record.",
        handle=game,
        asked=One,
        answers={200: Answer("The game", Played), 404: Answer("There is no such game")},
    ),
)
