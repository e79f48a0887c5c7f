"""How a ladder stands, now and before."""

from dataclasses import replace as changed

import pytest
from msgspec.structs import replace

from arena.ladder import night_lifecycle
from arena.ladder import standings as ladder_standings
from arena.ladder.folder import Ladder
from arena.ladder.pages import ladder_info
from arena.ladder.registry import Registry
from arena.ladder.submissions.placement import REFERENCE_BOTS
from arena.ratings.cell import Cell
from arena.ratings.standings import StandingsLine, StandingsTable, build_table
from arena.referee.faults import Fault
from arena.report.data.ladder_info import RankChange
from arena.report.data.survey import survey_run
from arena.store.run import Run
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.store.blocks import make_block

CELL = Cell("stick-em", 3)
REFERENCES = [f"{name} v1" for name in REFERENCE_BOTS]


def test_as_it_stood_after_a_night(played_ladder: Ladder) -> None:
    with Run.open(played_ladder.folder) as run:
        then = ladder_standings.cell_ratings(run, [CELL])
        last = factories.add_night(played_ladder, 8).summary
    assert last is not None
    with Run.open(played_ladder.folder) as run:
        assert ladder_standings.results_by_cell(run, [CELL])[CELL].blocks == 12
        assert ladder_standings.results_by_cell(run, [CELL], 4)[CELL].blocks == 4
        assert ladder_standings.results_by_cell(run, [CELL], last.last)[CELL].blocks == 12
        assert ladder_standings.results_by_cell(run, [CELL], 0)[CELL].blocks == 0
        assert (
            ladder_standings.cell_ratings(run, [CELL], 4)[0].rating.mu.tolist()
            == then[0].rating.mu.tolist()
        )
        assert (
            ladder_standings.cell_ratings(run, [CELL])[0].rating.mu.tolist()
            != then[0].rating.mu.tolist()
        )


def test_inactive_versions_are_not_in_the_standings(played_ladder: Ladder) -> None:
    factories.add_version(played_ladder, "bob", "# new\n", owner="bob")
    with Run.open(played_ladder.folder) as run, Registry.open(played_ladder.folder) as registry:
        rated = ladder_standings.cell_ratings(run, [CELL])
        table = ladder_standings.overall_table(
            run, rated, {one.bot for one in registry.active_versions()}, set()
        )
    lines = {line.bot: line.rank for line in table.lines}
    assert lines == {"ann v1": 1, "cleo v1": 2, "bob v2": None}
    assert len(rated[0].rating.mu) == 4, "but its games still tell about the others"


def standings(*bots: tuple[str, int | None]) -> StandingsTable:
    lines = tuple(
        StandingsLine(bot=bot, rank=rank, mu=25.0 - (rank or 0), blocks=1, games=6, faults=0)
        for bot, rank in bots
    )
    return replace(build_table("overall", [], [], times=False), lines=lines)


def test_rank_changes() -> None:
    before = standings(("ann", 1), ("bob", 2), ("cleo", 3), ("dan", 4), ("gone", 5))
    after = standings(("dan", 1), ("ann", 2), ("cleo", 3), ("eve", 4), ("bob", 5), ("finn", None))
    assert ladder_standings.rank_changes(before, after) == [
        RankChange("dan", 4, 1, 21.0, 24.0),
        RankChange("bob", 2, 5, 23.0, 20.0),
        RankChange("ann", 1, 2, 24.0, 23.0),
        RankChange("eve", None, 4, None, 21.0),
    ]
    assert ladder_standings.rank_changes(after, after) == []


def test_games_with_a_fault_are_counted_once(played_ladder: Ladder) -> None:
    faults = (Fault(0, "illegal", "no"), Fault(0, "illegal", "no"), Fault(1, "timeout", "late"))
    with Run.open_for_writing(played_ladder.folder) as run:
        run.begin_session("code", 1, "none", "night 2")
        run.add([make_block(0, "stick-em", ("ann v1", "bob v1", "cleo v1"), faults=faults)])
        run.add([make_block(1, "stick-em", ("ann v1", "bob v1", "cleo v1"))])
        assert Registry.of_run(run).fault_counts() == {
            "ann v1": (18, 1),
            "bob v1": (18, 1),
            "cleo v1": (18, 0),
        }
        assert Registry.of_run(run).fault_counts(4) == dict.fromkeys(
            ("ann v1", "bob v1", "cleo v1"), (12, 0)
        )
        assert Registry.of_run(run).fault_counts(5)["ann v1"] == (15, 1)


def ranks(ladder: Ladder) -> dict[str, int | None]:
    """The rank of every active version on the page of the ladder."""
    with Registry.open(ladder.folder) as registry, Run.open(ladder.folder) as run:
        page = survey_run(run, ladder=ladder_info(registry, live=False))
        table = page.table(page.scopes[0])
        active = {one.bot for one in registry.active_versions()}
        cells = ladder_standings.cell_ratings(run, ladder.settings.cells)
        told = ladder_standings.overall_table(run, cells, active, registry.counted_cells())
    assert told.lines == table.lines
    return {line.bot: line.rank for line in told.lines}


@pytest.mark.slow
def test_an_added_variant_takes_no_rank_away(empty_ladder: Ladder) -> None:
    """Five bots have ranks; a variant is added, and a new version is placed in it."""
    names = [f"bot-{number}" for number in range(5)]
    old = [factories.add_version(empty_ladder, name, owner=name).bot for name in names]
    summary = factories.add_night(empty_ladder, 12).summary
    assert summary is not None
    assert summary.counted == (CELL,)
    before = ranks(empty_ladder)
    assert set(before.values()) == set(range(1, 6))
    ladder = factories.change_settings(empty_ladder.folder, variants=["stick-em", "sticheln"])
    new = factories.add_version(ladder, "new", owner="new").bot
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night_lifecycle.update_run_header(ladder, run, registry)
        factories.add_session(run, ladder, "placement", 3, [*old[:2], new])
    after = ranks(ladder)
    assert after.keys() == {*old, new}
    assert None not in after.values()
    shown = invoke_arena("ladder", "show", ladder.folder, columns=200).stdout
    assert "Not yet part of this rating: sticheln, 3 seats (3 of 6 bots have played it)." in shown
    some = factories.add_night(ladder, 4, old[:4]).summary
    assert some is not None
    assert some.counted == (CELL,)
    assert None not in ranks(ladder).values()
    every = factories.add_night(ladder, 12).summary
    assert every is not None
    assert set(every.counted) == {CELL, Cell("sticheln", 3)}
    assert None not in ranks(ladder).values()
    assert "Not yet part" not in invoke_arena("ladder", "show", ladder.folder, columns=200).stdout
    factories.add_version(ladder, "late", owner="late")
    assert [bot for bot, rank in ranks(ladder).items() if rank is None] == ["late v1"]


def test_the_first_day_of_a_ladder(ladder: Ladder) -> None:
    """Placement games in several cells, each with others: all who played in one have a rank."""
    ladder = factories.change_settings(ladder.folder, variants=["stick-em", "sticheln"])
    new = factories.add_version(ladder, "new", owner="new").bot
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night_lifecycle.update_run_header(ladder, run, registry)
        first, *rest = ladder.settings.cells
        one = changed(ladder.settings, cells=(first,))
        factories.add_session(
            run, Ladder(ladder.folder, one), "placement", 1, [new, *REFERENCES[:2]]
        )
        other = changed(ladder.settings, cells=tuple(rest))
        factories.add_session(
            run, Ladder(ladder.folder, other), "again", 1, [new, *REFERENCES[2:4]]
        )
    found = ranks(ladder)
    assert sorted(rank for rank in found.values() if rank) == [1, 2, 3]


def test_standings_before_the_first_game(empty_ladder: Ladder) -> None:
    factories.add_version(empty_ladder, "ann")
    with Run.open(empty_ladder.folder) as run, Registry.open(empty_ladder.folder) as registry:
        table = ladder_standings.overall_table(
            run,
            ladder_standings.cell_ratings(run, [CELL]),
            {one.bot for one in registry.active_versions()},
            set(),
        )
        assert Registry.of_run(run).fault_counts() == {}
    assert [(line.bot, line.rank) for line in table.lines] == [("ann v1", None)]
