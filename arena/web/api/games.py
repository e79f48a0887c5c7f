"""Games of the ladder: found some at a time, and single ones with their records."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import Request

from arena.match.record import Record
from arena.store import listing
from arena.store.block import GONE, KEY, quiet, unpack
from arena.store.database import BadRun
from arena.store.listing import Game, UnknownGame, game_id
from arena.store.run import Run
from arena.web.api.bots import Limit
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.api.operations import Answer, Operation
from arena.web.api.standings import Seats, Variant

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
    """Some games of a run, unless it takes too long to find them."""
    key, turn = (b"", -1) if asked.after is UNSET else place(run, asked.after)
    wanted = listing.Wanted(
        bot=None if asked.bot is UNSET else asked.bot,
        variant=None if asked.variant is UNSET else asked.variant,
        seats=None if asked.seats is UNSET else asked.seats,
        fault=asked.fault,
    )
    looks = 0

    def enough() -> bool:
        nonlocal looks
        looks += 1
        return looks > LOOKS

    run.connection.set_progress_handler(enough, STEPS)
    try:
        found = run.search(wanted, listing.Portion(most=asked.limit, key=key, turn=turn))
    except BadRun as error:
        if looks <= LOOKS:
            raise
        raise Failure(503, "this takes too long to be looked for; ask for less") from error
    more = f"{found[-1].key.hex()}-{found[-1].turn}" if len(found) == asked.limit else None
    return Games(games=tuple(one.game for one in found), next=more)


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
