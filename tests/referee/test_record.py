"""Records are small, come back as they were, and cannot be tampered with unseen."""

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.errors import BadRecord, BadReplay
from arena.games.catalog import variant
from arena.referee.faults import Evidence, Fault
from arena.referee.live_game import Deal, LiveGame
from arena.referee.record import Record, SeatedBot, error_in_game, load_records, verify_record


def start_game(seed: int) -> LiveGame:
    bots = [SeatedBot(name, "1") for name in "abcd"]
    game = variant("sticheln").game(4)
    return LiveGame(1, game, Deal(seed), bank_ns=0, seating=range(4), bots=bots)


def play_game(seed: int, steps: int = 10_000) -> Record:
    """A game of first options, or the beginning of one."""
    table = start_game(seed)
    while table.decisions and steps:
        table.choices = [decision.options[0] for decision in table.decisions]
        table.advance()
        steps -= 1
    return table.record(stopped=bool(table.decisions))


RECORD = play_game(1)
WINNER = RECORD.ranks.index(1)


def test_default_values_are_not_written() -> None:
    text = json.loads(msgspec.json.encode(RECORD))
    assert {"faults", "notes", "stale", "stopped", "first"}.isdisjoint(text)
    verify_record(RECORD)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scores": (0, 0, 0, 0)}, r"replayed, the scores are \(.*\); recorded are \(0, 0"),
        ({"ranks": (1, 1, 1, 1)}, r"replayed, the ranks are \(.*\); recorded are \(1, 1"),
        ({"wall": ()}, "choices, but times for 0"),
        ({"cpu": (1,)}, "choices, but times for"),
        ({"bots": RECORD.bots[:3]}, "3 bots in 4 seats"),
        ({"wall": (-1, *RECORD.wall[1:])}, "a time is negative"),
        ({"stale": (1,)}, "stale answers of 1 in 4 seats"),
        ({"notes": {len(RECORD.choices): "x"}}, "a note at choice"),
        ({"faults": (Fault(99, "illegal", "x"),)}, "a fault in seat 99"),
        ({"stopped": True}, "marked as stopped, but it is complete"),
        ({"faults": (Fault(WINNER, "illegal", "x"),)}, "replayed, the ranks are"),
    ],
)
def test_tampered_with(change: dict[str, object], said: str) -> None:
    with pytest.raises(BadRecord, match=said):
        verify_record(replace(RECORD, **change))


@pytest.mark.parametrize(
    "change", [{"seed": 2}, {"choices": RECORD.choices[:-1]}, {"choices": (*RECORD.choices, "R1")}]
)
def test_records_that_do_not_fit_the_game(change: dict[str, object]) -> None:
    with pytest.raises(BadReplay):
        verify_record(replace(RECORD, **change))


@pytest.mark.parametrize("steps", [0, 1, 2, 100])
def test_a_stopped_game(steps: int) -> None:
    record = play_game(1, steps)
    verify_record(record)
    with pytest.raises(BadReplay, match="is it cut off"):
        verify_record(replace(record, stopped=False))


@pytest.mark.parametrize("guilty", [(0,), (WINNER,), (1, 3), (0, 1, 2), (0, 1, 2, 3)])
def test_the_guilty_rank_below_all_others(guilty: tuple[int, ...]) -> None:
    table = start_game(1)
    table.faults = [Fault(seat, "illegal", "x") for seat in guilty]
    while table.decisions:
        table.choices = [decision.options[0] for decision in table.decisions]
        table.advance()
    record = table.record()
    verify_record(record)
    assert record.scores == RECORD.scores
    innocent = [rank for seat, rank in enumerate(record.ranks) if seat not in guilty]
    others = [rank for seat, rank in enumerate(record.ranks) if seat in guilty]
    assert max(innocent, default=0) < min(others)
    assert min(record.ranks) == 1
    for group in (set(guilty), set(range(4)) - set(guilty)):
        by_rules = sorted(group, key=lambda seat: RECORD.ranks[seat])
        assert by_rules == sorted(group, key=lambda seat: (record.ranks[seat], RECORD.ranks[seat]))


def test_json_round_trip(tmp_path: Path) -> None:
    evidence = Evidence('{"id":1}', "x\\xff", "oh\n", 0.5, 0.25, 0.125)
    fault = Fault(2, "malformed", "no", 3, evidence)
    whole = replace(RECORD, faults=(fault,), notes={3: "ä"}, stale=(0, 1, 0, 0), stopped=True)
    file = tmp_path / "games.jsonl"
    file.write_bytes(msgspec.json.encode(RECORD) + b"\n\n" + msgspec.json.encode(whole) + b"\n")
    assert list(load_records(file)) == [RECORD, whole]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (b"{}\n", "line 1 is not a record of a game: Object missing required field"),
        (b"\n\nnonsense", "line 3 is not a record of a game: JSON is malformed"),
        (b'{"variant": "\xff"}', "line 1 is not a record of a game"),
        (b"[" * 100_000, "line 1 is not a record of a game"),
        (
            msgspec.json.encode(RECORD)[:-5],
            "line 1 is not a record of a game: Input data was trunc",
        ),
    ],
)
def test_files_that_hold_no_records(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(content)
    with pytest.raises(BadRecord) as error:
        list(load_records(file))
    assert str(error.value).startswith(f"{file}: {said}")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="none: No such file or directory"):
        list(load_records(tmp_path / "none"))
    with pytest.raises(BadRecord, match="Is a directory"):
        list(load_records(tmp_path))


def test_errors_name_the_game() -> None:
    assert str(error_in_game(Path("a.jsonl"), 3, BadRecord("no"))) == "a.jsonl: game 3: no"
