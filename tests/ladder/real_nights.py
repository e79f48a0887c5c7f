"""Ladders whose nights can be verified: real games, played without processes."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from arena.bots.bot import Bot
from arena.ladder import night_lifecycle
from arena.ladder.folder import Ladder
from arena.ladder.models import NightLimits, Submission
from arena.ladder.registry import Registry
from arena.ratings.cell import Cell
from arena.store.block import PlayedBlock
from arena.store.header import utc_now
from arena.store.run import Run
from arena.tournaments.deals import add_salt, block_key_settings
from arena.tournaments.plan.blocks import BlockFactory, Chunk
from tests.ladder import factories
from tests.store.planned_runs import play_chunk

CELL = Cell("stick-em", 3)


def play_blocks(
    run: Run, ladder: Ladder, names: Sequence[str], session: str, deals: range
) -> list[PlayedBlock]:
    """Play blocks of a table with the deals of a session."""
    versions = {bot.name: bot.version for bot in run.header.bots}
    bots = [Bot(name, versions[name], (), Path()) for name in names]
    agreed = block_key_settings(ladder.settings.referee_config, ladder.settings.sandbox_limits)
    drawing = BlockFactory(add_salt(run.header.seed, session), CELL, bots, agreed, "balanced")
    chunk = Chunk(CELL, tuple(range(len(bots))), drawing.blocks(deals))
    return play_chunk(bots, chunk, faults=True)


def play_night(ladder: Ladder, deals: int = 1) -> None:
    """Play a night with every other table of the active versions."""
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night_lifecycle.update_run_header(ladder, run, registry)
        who = [one.bot for one in registry.active_versions()]
        begun = registry.begin_night(NightLimits(round=8), who)
        session = begun.salt
        run.begin_session("code", 1, "none", session)
        for table in list(combinations(who, CELL.seats))[::2]:
            run.add(play_blocks(run, ladder, table, session, range(deals)))
        summary = night_lifecycle.summarize_night(ladder, registry, begun, 1.0)
        registry.save_summary(begun.number, summary)
        night_lifecycle.update_run_header(ladder, run, registry)
        registry.end_night(begun.number)


def add_placed_version(ladder: Ladder, name: str) -> None:
    """Add a version by a submission with placement games against reference bots."""
    version = factories.add_version(ladder, name, f"# another {name}\n", owner=name)
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        references = [one.bot for one in registry.active_versions() if not one.owner][
            : CELL.seats - 1
        ]
        sent = Submission(
            id="sent",
            owner=name,
            file=f"{name}.py",
            name=name,
            message="",
            size=1,
            state="waiting",
            sent=utc_now(),
        )
        registry.add_submission(sent)
        registry.end_submission("sent", "accepted", version.bot)
        session = sent.placement_salt
        run.begin_session("code", 1, "none", session)
        names = sorted([version.bot, *references])
        run.add(play_blocks(run, ladder, names, session, range(1)))


def play_three_nights(folder: Path) -> Ladder:
    """Play three nights; records of the first are dropped, as no active version played in it."""
    ladder = factories.create_ladder(
        folder, keep={"records": 1}, retire={"share": 1.0, "games": 40}
    )
    for name in ("ann", "bob", "cleo"):
        factories.add_version(ladder, name)
    play_night(ladder)
    for name in ("ann", "bob", "cleo"):
        factories.add_version(ladder, name, f"# {name} anew\n")
    for name in ("ref", "rob"):
        factories.add_version(ladder, name, owner="")
    play_night(ladder)
    add_placed_version(ladder, "dan")
    play_night(ladder)
    return ladder
