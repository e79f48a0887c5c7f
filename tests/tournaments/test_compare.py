"""A comparison stops at the verdict, whatever backend plays it and in whatever order."""

import io
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.ratings.sprt import SprtVerdict
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.record import Record
from arena.store.block import GameResult, PlayedBlock, StoredGame, pack_games
from arena.tournaments.compare import (
    MAX_DEALS,
    Comparison,
    ComparisonResult,
    compare_bots,
    give_distinct_names,
    select_cells,
)
from arena.tournaments.mirror_blocks import games_per_block
from arena.tournaments.play.backend import (
    BackendEvent,
    ChunkTask,
    GamesFinished,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.dispatcher import MAX_TRIES
from arena.tournaments.play.excuse_counter import MAX_CHUNK_EXCUSES, MAX_EXCUSES
from arena.tournaments.play.signals import StopRequest
from tests.cli.records import random_record
from tests.tournaments.fake_tournaments import fake_bot
from tests.tournaments.test_mirror_blocks import A, B, play_chunk

STICHELN = Cell("sticheln", 4)
FAULT = Fault(0, "illegal", "no such card", place=0)
GAME = random_record("sticheln", 4, names="abab", faults=(FAULT,))


class Formula:
    """A backend in which points follow from who sits where; what is given last is done first."""

    def __init__(
        self, worth: tuple[int, int], rooms: int = 1, fail: int = 0, dies: str | None = None
    ) -> None:
        self.worth = worth
        self.rooms = rooms
        self.fail = fail
        """How many tasks are not played before one is."""
        self.dies = dies
        """A bot that is killed in every task in which it does not pay for that."""
        self.excused: Counter[int] = Counter()
        self.tasks: list[ChunkTask] = []
        self.submitted: list[ChunkTask] = []

    def free_slots(self) -> int:
        return self.rooms - len(self.tasks)

    def submit(self, task: ChunkTask) -> None:
        self.tasks.append(task)
        self.submitted.append(task)

    def cancel_waiting(self) -> Iterable[int]:
        return ()

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        assert seconds > 0
        task = self.tasks.pop()
        yield GamesFinished(task.number, 1)
        if self.fail:
            self.fail -= 1
            yield TaskFailure(task.number, "the lights went out")
        elif self.dies and self.dies not in task.bots_without_excuses:
            self.excused[task.number] += 1
            yield TaskFailure(task.number, f"{self.dies} was killed", self.dies)
        else:
            yield TaskResult(
                task.number, [lucky(block) for block in play_chunk(task.chunk, self.worth)]
            )


def lucky(block: PlayedBlock) -> PlayedBlock:
    """The same, but some points more or less for B that come with the deal."""

    def changed(result: GameResult) -> GameResult:
        sides = [block.bots[place] == "b" for place in result.seating]
        points = zip(result.points, sides, strict=True)
        return msgspec.structs.replace(
            result, points=tuple(one + (block.seed % 41 - 20) * side for one, side in points)
        )

    results = tuple(changed(result) for result in block.results)
    return msgspec.structs.replace(
        block, results=results, packed_games=pack_games([StoredGame(GAME)])
    )


def run_comparison(
    backend: Formula, *cells: Cell, most: int = 3000, file: io.BytesIO | None = None
) -> ComparisonResult:
    comparison = Comparison(
        "secret", cells or (STICHELN,), (A, B), RefereeConfig(), most, 0.3, file
    )
    comparison.play(backend, StopRequest(), lambda _: None)
    return comparison.result(("a", "b"), interrupted=False)


@pytest.mark.parametrize(
    ("worth", "verdict"),
    [((0, 15), "better"), ((15, 0), "worse"), ((4, 4), "no difference")],
)
def test_verdicts(worth: tuple[int, int], verdict: SprtVerdict) -> None:
    found = run_comparison(Formula(worth))
    assert found.verdict == verdict
    (cell,) = found.cells
    assert cell.difference == pytest.approx(worth[1] - worth[0], abs=cell.reach * 1.5)
    assert found.difference == pytest.approx(cell.difference / cell.deviation)
    assert found.games == cell.games == 6 * cell.blocks
    assert found.bounds[0] < 0 < found.bounds[1]


def test_workers_do_not_matter() -> None:
    """Whatever is done first, chunks count as they were planned, and none that is not needed."""
    alone = run_comparison(Formula((0, 9)))
    many = Formula((0, 9), rooms=5)
    assert run_comparison(many) == alone
    assert sum(len(task.chunk.blocks) for task in many.submitted) > alone.cells[0].blocks


def test_undecided_at_the_cap() -> None:
    backend = Formula((0, 4))
    found = run_comparison(backend, most=100)
    assert found.verdict == "undecided"
    assert found.games == 96
    assert sum(len(task.chunk.blocks) for task in backend.submitted) == 16


def test_chunks_grow() -> None:
    comparison = Comparison("secret", (STICHELN,), (A, B), RefereeConfig(), 6000, 0.3)
    sizes = [len(part[0].blocks) for part in comparison.plan_groups()]
    assert sizes[:3] == [4, 4, 4]
    assert max(sizes) == MAX_DEALS
    assert all(one <= two for one, two in pairwise(sizes[:-1]))
    assert sum(sizes) == 1000


def test_several_cells_take_turns() -> None:
    """Also those whose blocks are played by two tables."""
    cells = STICHELN, Cell("sticheln", 3), Cell("hat-trick", 4)
    found = run_comparison(Formula((0, 8), rooms=2), *cells)
    assert found.verdict == "better"
    assert [Cell(cell.variant, cell.seats) for cell in found.cells] == list(cells)
    counts = [cell.blocks for cell in found.cells]
    assert min(counts) > 0
    assert max(counts) - min(counts) <= MAX_DEALS
    for cell in found.cells:
        assert cell.games == cell.blocks * games_per_block(cell.seats)


def test_failed_chunks_are_retried() -> None:
    backend = Formula((0, 15), fail=MAX_TRIES - 1)
    assert run_comparison(backend) == run_comparison(Formula((0, 15)))
    assert not any(task.bots_without_excuses for task in backend.submitted)
    with pytest.raises(ArenaError, match="4 seats failed 4 times: the lights went"):
        run_comparison(Formula((0, 15), fail=MAX_TRIES))


def test_excuses_are_limited_for_each_bot() -> None:
    """Three times in a chunk and thirty times in all; the other bot never pays for it."""
    backend = Formula((4, 4), dies="b")
    found = run_comparison(backend)
    assert found.verdict == "no difference"
    assert (found.a.excuses, found.b.excuses) == (0, MAX_EXCUSES)
    assert sum(backend.excused.values()) == MAX_EXCUSES
    assert max(backend.excused.values()) == MAX_CHUNK_EXCUSES
    assert len(backend.excused) < len({task.number for task in backend.submitted})
    assert {task.bots_without_excuses for task in backend.submitted} == {
        frozenset(),
        frozenset({"b"}),
    }


def test_a_bot_that_is_not_there_is_not_excused() -> None:
    with pytest.raises(ArenaError, match="failed 4 times: nobody was killed"):
        run_comparison(Formula((4, 4), dies="nobody"))


def test_a_stop_request() -> None:
    """What was counted by then is the result."""
    comparison = Comparison("secret", (STICHELN,), (A, B), RefereeConfig(), 3000, 0.3)
    stop_request = StopRequest()

    def interrupt(going: Comparison) -> None:
        stop_request.requests = going.games // 24

    comparison.play(Formula((0, 15)), stop_request, interrupt)
    found = comparison.result(("a", "b"), interrupted=True)
    assert (found.verdict, found.games, found.interrupted) == ("undecided", 24, True)


def test_a_comparison_without_games() -> None:
    comparison = Comparison("secret", (STICHELN,), (A, B), RefereeConfig(), 3000, 0.3)
    found = comparison.result(("a", "b"), interrupted=True)
    assert (found.games, found.difference, found.reach, found.better) == (0, 0.0, 0.0, 0.0)
    assert b"null" not in msgspec.json.encode(found)


def test_games_and_faults_are_kept() -> None:
    file, first_faults = io.BytesIO(), dict[str, Fault]()
    comparison = Comparison(
        "secret",
        (STICHELN,),
        (A, B),
        RefereeConfig(),
        30,
        0.3,
        games_file=file,
        on_fault=first_faults.setdefault,
    )
    comparison.play(Formula((0, 15)), StopRequest(), lambda _: None)
    lines = file.getvalue().splitlines()
    assert len(lines) == 5
    assert msgspec.json.decode(lines[0], type=Record) == GAME
    assert first_faults == {"a": FAULT}
    found = comparison.result(("x", "y"), interrupted=False)
    assert (found.a.faults, found.b.faults) == (15, 15)
    assert (found.a.path, found.b.path) == ("x", "y")


def test_cells_of_variants_and_sizes() -> None:
    assert select_cells(["sticheln"], [], 6) == (Cell("sticheln", 4),)
    assert select_cells(["sticheln", "STICHELN"], [3, 4, 3], 12) == (
        Cell("sticheln", 3),
        Cell("sticheln", 4),
    )
    with pytest.raises(ArenaError, match=r"--games 11 is too little: .* takes 12 games"):
        select_cells(["sticheln"], [3, 4], 11)
    with pytest.raises(ArenaError, match="not by 9"):
        select_cells(["sticheln"], [9], 100)


def test_bots_get_distinct_names() -> None:
    """Two versions of one bot need two names; others keep theirs."""
    fox = fake_bot("fox")
    assert [one.name for one in give_distinct_names(fox, replace(fox, digest="2"))] == [
        "fox (A)",
        "fox (B)",
    ]
    assert [one.name for one in give_distinct_names(fox, fake_bot("owl"))] == ["fox", "owl"]


@pytest.mark.slow
def test_two_bots_by_name(tmp_path: Path) -> None:
    """The whole use case: bots are loaded and played, and the folder gets games and result."""
    progress: list[int] = []
    result = compare_bots(
        "lowest",
        "highest",
        cells=(Cell("sticheln", 3),),
        max_games=6,
        seed="x",
        workers=1,
        folder=tmp_path / "new",
        on_progress=lambda comparison: progress.append(comparison.games),
    )
    assert (result.verdict, result.games, result.seed) == ("undecided", 6, "x")
    assert (result.a.name, result.b.path, result.interrupted) == ("lowest", "highest", False)
    assert progress[-1] == 6
    assert json.loads((tmp_path / "new" / "compare.json").read_text())["games"] == 6
    assert len((tmp_path / "new" / "games.jsonl").read_text().splitlines()) == 6
