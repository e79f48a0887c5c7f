"""Mirror tables are fair: both bots sit everywhere, beside everybody, with all cards."""

from itertools import combinations, pairwise

import pytest

from arena.bots.bot import Bot
from arena.ratings.cell import Cell
from arena.store.block import GameResult, PlayedBlock
from arena.tournaments.compare import MirrorResults
from arena.tournaments.mirror_blocks import (
    games_per_block,
    mirror_chunks,
    mirror_patterns,
    patterns_of_deal,
    seating_of_pattern,
)
from arena.tournaments.plan.blocks import Chunk
from tests.tournaments.fake_tournaments import fake_bot

A, B = fake_bot("a"), fake_bot("b")


def plan_chunks(
    seats: int, numbers: range = range(2), pair: tuple[Bot, Bot] = (A, B)
) -> list[Chunk]:
    return list(mirror_chunks("secret", Cell("sticheln", seats), pair, (), numbers))


@pytest.mark.parametrize(
    ("seats", "count"), [(2, 2), (3, 6), (4, 6), (5, 20), (6, 20), (7, 14), (8, 14)]
)
def test_balance(seats: int, count: int) -> None:
    """Opposites follow each other, and every two seats are as often alike as any other two."""
    found = patterns_of_deal(seats, seed=77)
    assert games_per_block(seats) == len(set(found)) == count
    for one, other in list(pairwise(found))[::2]:
        assert [1 - side for side in one] == list(other)
    for pattern in found:
        assert abs(pattern.count(0) - pattern.count(1)) == seats % 2
    alike = {
        sum(pattern[one] == pattern[other] for pattern in found)
        for one, other in combinations(range(seats), 2)
    }
    assert len(alike) == 1


def test_all_there_are() -> None:
    assert set(mirror_patterns(4)) == {
        (0, 0, 1, 1),
        (1, 1, 0, 0),
        (0, 1, 0, 1),
        (1, 0, 1, 0),
        (0, 1, 1, 0),
        (1, 0, 0, 1),
    }
    assert len({tuple(sorted(patterns_of_deal(8, seed))) for seed in range(100)}) > 10


def test_seatings_of_patterns() -> None:
    """Places of A come before those of B at the table."""
    assert seating_of_pattern((0, 0, 1, 1)) == (0, 1, 2, 3)
    assert seating_of_pattern((1, 0, 1, 0)) == (2, 0, 3, 1)
    assert seating_of_pattern((1, 1, 0)) == (1, 2, 0)


@pytest.mark.parametrize("seats", range(3, 9))
def test_chunks(seats: int) -> None:
    """Every deal is played in every pattern, by one table or, with odd seats, by two."""
    found = plan_chunks(seats, range(5, 8))
    assert len(found) == 1 + seats % 2
    assert sum(len(chunk.blocks[0].seatings) for chunk in found) == games_per_block(seats)
    for deal in range(3):
        blocks = [chunk.blocks[deal] for chunk in found]
        assert {block.number for block in blocks} == {5 + deal}
        assert len({block.seed for block in blocks}) == 1
        played = [
            tuple(chunk.table[place] for place in seating)
            for chunk, block in zip(found, blocks, strict=True)
            for seating in block.seatings
        ]
        assert sorted(played) == sorted(patterns_of_deal(seats, blocks[0].seed))
        assert sum(map(sum, played)) * 2 == seats * len(played)
    keys = [block.key for chunk in found for block in chunk.blocks]
    assert len(set(keys)) == len(keys)


def test_the_same_wherever_it_is_planned() -> None:
    """Blocks do not depend on the chunk they come in; other bots have other deals."""
    whole, part = plan_chunks(4, range(9))[0].blocks, plan_chunks(4, range(3, 5))[0].blocks
    assert whole[3:5] == part
    other = plan_chunks(4, range(3, 5), (A, fake_bot("b", "2")))[0].blocks
    assert {block.seed for block in other}.isdisjoint(block.seed for block in part)


def play_chunk(
    chunk: Chunk, worth: tuple[int, int], seat: int = 0, luck: int = 0
) -> list[PlayedBlock]:
    """As if all games came out by what the bots and the first seat are worth."""
    blocks = []
    for block in chunk.blocks:
        results = []
        for seating in block.seatings:
            points = [worth[chunk.table[place]] for place in seating]
            points[0] += seat
            points[-1] += luck * (block.seed % 7)
            nothing = (0,) * len(points)
            results.append(
                GameResult(
                    tuple(seating),
                    nothing,
                    (1,) * len(points),
                    tuple(points),
                    (1, *nothing[1:]),
                    nothing,
                    nothing,
                )
            )
        names = tuple("ab"[side] for side in chunk.table)
        cell = chunk.cell
        blocks.append(
            PlayedBlock(
                block.key, cell.variant, cell.seats, block.number, block.seed, names,
                tuple(results), b"",
            )
        )  # fmt: skip
    return blocks


@pytest.mark.parametrize("seats", range(3, 9))
def test_seats_and_cards_cancel_out(seats: int) -> None:
    found = MirrorResults(Cell("sticheln", seats), ("a", "b"))
    for chunk in plan_chunks(seats, range(6)):
        found.add(play_chunk(chunk, (10, 13), seat=40, luck=9))
    assert found.sample.differences.tolist() == pytest.approx([3.0] * 6)
    assert found.sample.games == games_per_block(seats)
    assert found.games == 6 * games_per_block(seats)
    assert found.faults[0] == found.faults[1] == found.games / 2


def test_half_a_block_does_not_count() -> None:
    first, second = plan_chunks(5, range(3))
    found = MirrorResults(Cell("sticheln", 5), ("a", "b"))
    found.add(play_chunk(first, (0, 1)))
    assert len(found.sample.differences) == 0
    found.add(play_chunk(second, (0, 1))[:2])
    assert found.sample.differences.tolist() == pytest.approx([1.0, 1.0])


def test_the_unit_of_a_sample() -> None:
    """The deviation of a score from its table's mean."""
    found = MirrorResults(Cell("sticheln", 4), ("a", "b"))
    assert found.sample.unit == 1
    found.add(play_chunk(plan_chunks(4)[0], (0, 6)))
    assert found.sample.unit == pytest.approx(3)
