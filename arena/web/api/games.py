"""API: search games, and return one game with its record."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.referee.record import Record
from arena.store.block import DROPPED_RECORDS, KEY_BYTES, unpack_games, without_stderr
from arena.store.database import BadRun
from arena.store.run import Run
from arena.store.search import GameFilter, GameRow, GameSlice, UnknownGame, game_rows
from arena.web.api.bots import PageLimit
from arena.web.api.context import ApiContext
from arena.web.api.routing import DocumentedResponse, Operation
from arena.web.api.standings import SeatCount, VariantName
from arena.web.api_errors import ApiError

STEPS_PER_CHECK: Final = 100_000
"""Instructions of SQLite between two checks of a search."""
MAX_CHECKS: Final = 2_000
"""Checks after which a search is aborted, some seconds."""


class GamesQuery(Struct, frozen=True):
    """The games to search for."""

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
    variant: VariantName | UnsetType = UNSET
    seats: SeatCount | UnsetType = UNSET
    fault: Annotated[
        bool,
        Meta(
            description="only games with a fault; if `bot` is given, with a fault of that version"
        ),
    ] = False
    after: (
        Annotated[
            str,
            Meta(
                pattern="^[0-9a-f]{10,32}-[0-9]{1,3}$",
                max_length=36,
                description="only games after this one: the value of `next`, or an id",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: PageLimit = 100


class GameQuery(Struct, frozen=True):
    """The game to return."""

    id: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{4,32}-[0-9]{1,3}$",
            max_length=36,
            description="the id of a game, such as 1f0a2b3c4d-2",
        ),
    ]


class GameList(Struct, frozen=True, kw_only=True):
    """A page of games, by id."""

    games: tuple[GameRow, ...]
    next: str | None
    """The value of `after` for the next page; null if there is none."""


class PlayedGame(Struct, frozen=True, kw_only=True):
    """A game with its record."""

    game: GameRow
    page: str
    """The page that replays it."""
    record: Record | None
    """The input of `arena replay` and `arena verify`; None if it was dropped to save space."""


async def list_games(context: ApiContext, _: Request, query: GamesQuery) -> GameList:
    """Return a page of the games that match."""
    return await context.read_run(lambda run: search_games(run, query))


def search_games(run: Run, query: GamesQuery) -> GameList:
    """Search games of a run; raises `ApiError` if it takes too long."""
    key, turn = (b"", -1) if query.after is UNSET else find_position(run, query.after)
    game_filter = GameFilter(
        bot=None if query.bot is UNSET else query.bot,
        variant=None if query.variant is UNSET else query.variant,
        seats=None if query.seats is UNSET else query.seats,
        fault=query.fault,
    )
    checks = 0

    def is_too_long() -> bool:
        nonlocal checks
        checks += 1
        return checks > MAX_CHECKS

    run.connection.set_progress_handler(is_too_long, STEPS_PER_CHECK)
    try:
        games = run.indexed_games(game_filter, GameSlice(most=query.limit, key=key, turn=turn))
    except BadRun as error:
        if checks <= MAX_CHECKS:
            raise
        raise ApiError(503, "the search takes too long; narrow it down") from error
    next_id = f"{games[-1].key.hex()}-{games[-1].turn}" if len(games) == query.limit else None
    return GameList(games=tuple(one.game for one in games), next=next_id)


def find_position(run: Run, after: str) -> tuple[bytes, int]:
    """The block key and the turn of a game."""
    digits, _, turn = after.partition("-")
    if len(digits) == 2 * KEY_BYTES:
        return bytes.fromhex(digits), int(turn)
    try:
        return run.find_game(after)
    except UnknownGame as error:
        raise ApiError(404, str(error)) from error


async def get_game(context: ApiContext, _: Request, query: GameQuery) -> PlayedGame:
    """Return a game with its record."""
    return await context.read_run(lambda run: load_game(run, query.id))


def load_game(run: Run, game: str) -> PlayedGame:
    """Load a game with its record."""
    try:
        key, turn = run.find_game(game)
    except UnknownGame as error:
        raise ApiError(404, str(error)) from error
    block = run.block(key)
    row = game_rows(block)[turn]
    return PlayedGame(
        game=row,
        page=f"game.html?game={row.id}",
        record=without_stderr(unpack_games(block.packed_games)[turn]).record
        if block.packed_games != DROPPED_RECORDS
        else None,
    )


OPERATIONS = (
    Operation(
        name="games",
        method="GET",
        path="/api/games",
        summary="Search games, by id, in pages: pass `next` as `after` until it is null.",
        handler=list_games,
        query_type=GamesQuery,
        responses={
            200: DocumentedResponse("A page of games", GameList),
            404: DocumentedResponse("There is no game with the id in `after`"),
        },
    ),
    Operation(
        name="game",
        method="GET",
        path="/api/games/{id}",
        summary="A game with its result and its record.",
        handler=get_game,
        query_type=GameQuery,
        responses={
            200: DocumentedResponse("The game", PlayedGame),
            404: DocumentedResponse("There is no such game"),
        },
    ),
)
