"""Runs that sites are made of, with real records, notes and faults where a test needs them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.referee.faults import Fault
from arena.referee.record import Record
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.block import PlayedBlock, StoredGame, pack_games, unpack_games
from arena.store.run import Run
from tests.store.blocks import BOTS, make_block, make_header


def write_run(
    folder: Path, blocks: Iterable[PlayedBlock], bots: Sequence[str] = BOTS, **about: Any
) -> Path:
    """Create a run with these blocks."""
    with Run.create(folder, make_header(bots, **about)) as run:
        run.begin_session("code", 1)
        run.add(blocks)
    return folder


def with_changed_records(one: PlayedBlock, change: Callable[[Record], Record]) -> PlayedBlock:
    """Return a block with changed records and unchanged results."""
    games = [replace(game, record=change(game.record)) for game in unpack_games(one.packed_games)]
    return replace(one, packed_games=pack_games(games))


def with_changed_record(one: PlayedBlock, turn: int, **fields: Any) -> PlayedBlock:
    """Return a block with other fields in one record."""
    games = list(unpack_games(one.packed_games))
    games[turn] = StoredGame(replace(games[turn].record, **fields), games[turn].stderr)
    return replace(one, packed_games=pack_games(games))


def with_notes(one: PlayedBlock, notes: Mapping[int, str]) -> PlayedBlock:
    """Return a block with notes in its first game."""
    return with_changed_record(one, 0, notes=dict(notes))


def block_with_faults(number: int, bots: Sequence[str], *faults: Fault) -> PlayedBlock:
    """Return a block with faults in its first game."""
    return make_block(number, "stick-em", bots, faults=faults)


def site_of(folder: Path, *, live: bool = False) -> Site:
    """Return the site of a run."""
    with Run.open(folder) as run:
        return Site(Pages(survey_run(run), run.name, live=live))
