"""A sample tells who thinks how long and who notes what; what cannot be read is left out."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.referee.record import Record, SeatedBot, deciders
from arena.report.data.samples import MAX_NOTES, MAX_NOTES_PER_GAME, sample_games
from arena.store.block import PlayedBlock, unpack_games
from arena.store.run import Run
from arena.store.search import game_id
from tests.report.runs import with_changed_records, with_notes, write_run
from tests.store.blocks import BOTS, make_block

SPENT = {"ann": 100, "bob": 2_000, "cleo": 30_000, "dan": 400_000, "eve": 5_000_000}
"""Microseconds that each bot takes for a decision."""


def paced(record: Record) -> Record:
    """The record, with the time of everybody at each of its choices."""
    times = [SPENT[record.bots[seat].name] for seat in deciders(record)]
    return replace(record, cpu=tuple(times))


def test_times(tmp_path: Path) -> None:
    blocks = [with_changed_records(make_block(number, bots=BOTS[:3]), paced) for number in range(2)]
    blocks.append(with_changed_records(make_block(0, "stick-em", BOTS[1:4]), paced))
    decisions: Counter[str] = Counter()
    for one in blocks:
        for game in unpack_games(one.packed_games):
            decisions.update(game.record.bots[seat].name for seat in deciders(game.record))
    with Run.open(write_run(tmp_path, blocks)) as run:
        found = sample_games(run)
    assert found.games == 9
    assert found.games_by_bot == {"ann": 6, "bob": 9, "cleo": 9, "dan": 3, "eve": 0}
    for name, spent in SPENT.items():
        times = found.decision_times[name]
        assert sum(times.counts) == decisions[name]
        assert (times.median, times.percentile_99) == (
            (spent, spent) if decisions[name] else (None, None)
        )


def test_notes_are_of_the_bot_that_chose(tmp_path: Path) -> None:
    one = make_block(0, bots=("cleo", "ann", "bob"))
    record = unpack_games(one.packed_games)[0].record
    seats = list(deciders(record))
    places = (0, 17, len(seats) - 1)
    noted = with_notes(one, {place: f"at {place}" for place in places})
    with Run.open(write_run(tmp_path, [noted])) as run:
        found = sample_games(run)
    told = {note.place: (name, note) for name, own in found.notes.items() for note in own}
    assert set(told) == set(places)
    for place, (name, note) in told.items():
        assert record.bots[seats[place]].name == name
        assert note == (
            game_id(one.key, 0),
            "sticheln",
            seats[place],
            place,
            record.choices[place],
            f"at {place}",
        )
    assert sum(found.note_counts.values()) == 3


def test_only_some_notes_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    def talk(record: Record) -> Record:
        return replace(record, notes=dict.fromkeys(range(len(record.choices)), "so"))

    blocks = [with_changed_records(make_block(number), talk) for number in range(3)]
    with Run.open(write_run(tmp_path, blocks)) as run:
        found = sample_games(run)
    for name in BOTS[:3]:
        games = Counter(note.game for note in found.notes[name])
        assert len(found.notes[name]) == MAX_NOTES
        assert max(games.values()) == MAX_NOTES_PER_GAME
        assert found.note_counts[name] == sum(found.decision_times[name].counts) > MAX_NOTES
    assert found.notes["eve"] == ()


def test_no_more_games_than_asked_for_but_whole_blocks(tmp_path: Path) -> None:
    blocks = sorted((make_block(number) for number in range(4)), key=lambda one: one.key)
    with Run.open(write_run(tmp_path, blocks)) as run:
        assert [sample_games(run, most).games for most in (0, 1, 3, 4, 12, 99)] == [
            0,
            3,
            3,
            6,
            12,
            12,
        ]
        first = sample_games(run, 1)
    assert first.games_by_bot == dict.fromkeys(BOTS, 0) | dict.fromkeys(blocks[0].bots, 3)


SPOILT: dict[str, Callable[[PlayedBlock], PlayedBlock]] = {
    "noise": lambda one: replace(one, packed_games=b"noise"),
    "cut off": lambda one: replace(one, packed_games=one.packed_games[:-20]),
    "another choice": lambda one: with_changed_records(
        one, lambda record: replace(record, choices=("Z9",))
    ),
    "a variant that is none": lambda one: with_changed_records(
        one, lambda record: replace(record, variant="x")
    ),
    "too few times": lambda one: with_changed_records(
        one, lambda record: replace(record, cpu=record.cpu[:-1])
    ),
    "a note at no choice": lambda one: with_notes(one, {9999: "where?"}),
    "a note before the first": lambda one: with_notes(one, {-1: "where?"}),
    "a stranger": lambda one: with_changed_records(
        one, lambda record: replace(record, bots=(SeatedBot("zoe", "1"), *record.bots[1:]))
    ),
    "an empty seat": lambda one: with_changed_records(
        one, lambda record: replace(record, bots=record.bots[:-1])
    ),
}
"""What may be wrong with the records of a block."""


@pytest.mark.parametrize("what", SPOILT)
def test_unreadable_records_are_skipped(what: str, tmp_path: Path) -> None:
    """It is for `arena verify` to tell; the rest of the report does not suffer."""
    good, bad = make_block(0), make_block(1)
    with Run.open(write_run(tmp_path, [good, SPOILT[what](bad)])) as run:
        found = sample_games(run)
    assert found.games == found.games_by_bot["ann"] == len(good.results)
    assert not any(found.note_counts.values())
