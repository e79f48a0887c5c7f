"""Everything that a run has stored about one game."""

from collections.abc import Callable

from msgspec import Struct

from arena.errors import BadRecord
from arena.referee.record import Record
from arena.store.block import unpack_games
from arena.store.play_command import play_command
from arena.store.reading import Session
from arena.store.run import Run
from arena.store.search import GameRow, game_id, game_rows


class GameDetails(Struct, frozen=True):
    """A game with everything that the run has stored about it."""

    id: str
    block: str
    """The key of its block, in hexadecimal digits."""
    number: int
    """The number of the block among those of its table and variant."""
    session: Session | None
    """The session in which it was played."""
    games: tuple[GameRow, ...]
    """All games of its block: the same deal in other seatings."""
    record: Record
    stderr: tuple[str, ...]
    again: str
    """The command that repeats it."""


def load_game_details(
    run: Run, game: str, *, format_path: Callable[[str], str] = str
) -> GameDetails:
    """Load a game by its id, or by the first digits of it if no other game begins so.

    `format_path` returns the path of a bot as the command that repeats the game has it.
    """
    key, turn = run.find_game(game)
    block = run.block(key)
    stored = unpack_games(block.packed_games)
    if turn >= len(stored) or len(block.results) != len(stored):
        raise BadRecord(f"game {game_id(key, turn)} is not whole; see arena verify")
    games = game_rows(block)
    session = run.session_of(key)
    return GameDetails(
        id=games[turn].id,
        block=key.hex(),
        number=block.number,
        session=session,
        games=games,
        record=stored[turn].record,
        stderr=stored[turn].stderr,
        again=play_command(
            run.header,
            block.variant,
            games[turn].bots,
            block.seed,
            turn,
            session.sandbox if session else None,
            format_path=format_path,
        ),
    )
