"""Ladders that sites are made of: versions that come and go, and nights in which they play."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.referee.faults import Evidence, Fault
from arena.report.data.ladder_info import (
    LadderInfo,
    PublishedNight,
    PublishedVersion,
    RankChange,
    VersionState,
)
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.run import Run
from tests.cli.runs import make_blocks, make_header
from tests.store.blocks import make_block

CELLS = (Cell("sticheln", 3), Cell("stick-em", 4))
VERSIONS = (
    ("random v1", "", "active"),
    ("ann v1", "Ann", "superseded"),
    ("bob v1", "Bob", "active"),
    ("cleo v1", "Cleo", "retired"),
    ("ann v2", "Ann", "superseded"),
    ("dan v1", "Dan", "active"),
    ("ann v3", "Ann", "active"),
    ("eve v1", "Eve", "active"),
)
"""Bot, owner and state, in the order in which they joined; eve has not played."""
VERSIONS_BY_NIGHT = (VERSIONS[:4], VERSIONS[:6], (*VERSIONS[:3], *VERSIONS[5:7]))
"""Who plays in each night."""
RETIREMENT_REASON = "It faulted in 3 of 12 games.\nThe last time: R99 is no option."
FAULT = Fault(1, "illegal", "R99 is no option", 4, Evidence(reply="R99", stderr="oh no\n"))


def make_version(
    bot: str, owner: str, state: str, message: str = "", why: str = ""
) -> PublishedVersion:
    """Return a version with usual values."""
    name, _, number = bot.rpartition(" v")
    states: dict[str, VersionState] = {one: one for one in ("active", "superseded", "retired")}
    return PublishedVersion(
        bot=bot,
        name=name,
        number=int(number),
        owner=owner,
        message=message or f"{name} says hello",
        submitted=f"2030-01-0{number}T12:34:56+00:00",
        state=states[state],
        why=why or (RETIREMENT_REASON if state == "retired" else ""),
        description=f"What {name} does",
        author=owner,
        language="Python",
    )


def create_ladder(folder: Path, *, blocks: int = 12, submit: bool = False) -> LadderInfo:
    """Create a ladder's run of three nights, and return its published data."""
    names = [bot for bot, _, _ in VERSIONS]
    about = make_header(names, name="The <ladder>", anchors="")
    about = replace(about, text="name: The <ladder>\nvariants: [sticheln, stick-em]\n")
    ends = []
    with Run.create(folder, about) as run:
        for number, playing in enumerate(VERSIONS_BY_NIGHT):
            run.begin_session("code", 1)
            there = [bot for bot, _, _ in playing]
            for cell in CELLS:
                night = replace(about, name=f"{number}")
                every = make_blocks(night, cell, blocks, there, 6.0)
                run.add(replace(one, key=bytes([number]) + one.key[1:]) for one in every)
            if number == 0:
                run.add(
                    [
                        make_block(
                            7,
                            "stick-em",
                            ("ann v1", "cleo v1", "bob v1", "random v1"),
                            faults=(FAULT,),
                        )
                    ]
                )
            ends.append(max(int(run.storage_order(cell)[1].max()) for cell in CELLS))
    return LadderInfo(
        versions=[make_version(*one) for one in VERSIONS],
        nights=night_summaries(blocks),
        last_blocks=ends,
        accepts_submissions=submit,
    )


def night_summaries(blocks: int) -> Sequence[PublishedNight]:
    """Return the summaries of the three nights."""
    return [
        PublishedNight(
            number=1,
            began="2030-01-01T20:00:00+00:00",
            ended="2030-01-02T06:00:00+00:00",
            blocks=2 * blocks,
            games=7 * blocks,
            new=("ann v1", "bob v1", "cleo v1"),
            retired=(("cleo v1", RETIREMENT_REASON),),
        ),
        PublishedNight(
            number=2,
            began="2030-01-02T20:00:00+00:00",
            ended="2030-01-03T06:00:00+00:00",
            blocks=2 * blocks,
            games=7 * blocks,
            new=("ann v2", "dan v1"),
            changes=(
                RankChange("bob v1", 1, 3, 27.1, 24.9),
                RankChange("ann v2", None, 1, None, 28.0),
            ),
        ),
        PublishedNight(
            number=3,
            began="2030-01-03T20:00:00+00:00",
            ended="2030-01-04T06:00:00+00:00",
            blocks=2 * blocks,
            games=7 * blocks,
            new=("ann v3",),
            changes=(
                RankChange("dan v1", 5, 1, 22.0, 29.5),
                RankChange("bob v1", 3, 4, 24.9, 24.0),
                RankChange("ann v3", None, 2, None, 27.0),
            ),
            remarks=("One bot could not be played: eve v1.",),
        ),
    ]


def ladder_site_of(folder: Path, ladder_info: LadderInfo) -> Site:
    """Return the site of a ladder."""
    with Run.open(folder) as run:
        return Site(Pages(survey_run(run, ladder=ladder_info), run.name))
