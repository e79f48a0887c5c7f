"""Runs that sites are made of, with real records, notes and faults where a test needs them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from arena.match.faults import Fault
from arena.match.record import Record
from arena.report.pages import Pages
from arena.report.site import Site
from arena.report.survey import survey
from arena.store.block import Block, Kept, pack, unpack
from arena.store.run import Run
from tests.store.blocks import BOTS, block, header


def kept(folder: Path, blocks: Iterable[Block], bots: Sequence[str] = BOTS, **about: Any) -> Path:
    """A run of these blocks."""
    with Run.create(folder, header(bots, **about)) as run:
        run.session("code", 1)
        run.add(blocks)
    return folder


def changed(one: Block, change: Callable[[Record], Record]) -> Block:
    """A block whose records are not what they were; what it came to stays."""
    games = [replace(game, record=change(game.record)) for game in unpack(one.kept)]
    return replace(one, kept=pack(games))


def rewritten(one: Block, turn: int, **fields: Any) -> Block:
    """A block of which one record has other fields."""
    games = list(unpack(one.kept))
    games[turn] = Kept(replace(games[turn].record, **fields), games[turn].stderr)
    return replace(one, kept=pack(games))


def with_notes(one: Block, notes: Mapping[int, str]) -> Block:
    """A block with notes in its first game."""
    return rewritten(one, 0, notes=dict(notes))


def guilty(number: int, bots: Sequence[str], *faults: Fault) -> Block:
    """A block with faults in its first game."""
    return block(number, "stick-em", bots, faults=faults)


def site_of(folder: Path, *, live: bool = False) -> Site:
    """The site of a run."""
    with Run.open(folder) as run:
        return Site(Pages(survey(run), run.name, live=live))
