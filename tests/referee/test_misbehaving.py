"""Whatever a bot does, the game ends, the innocent lose nothing, and nothing is left running."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from arena.bots import process
from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.games.catalog import variant
from arena.protocol import codec
from arena.protocol.messages import FaultKind, FromBot, Limits
from arena.referee import answers
from arena.referee.answers import MAX_STALE_ANSWERS
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault, FaultPolicy
from arena.referee.live_game import MAX_NOTES_BYTES, NOTES_DROPPED, Deal
from arena.referee.record import GameStopped, Record, verify_record
from arena.referee.referee import Referee
from arena.store.block import StoredGame, pack_games
from tests.bots.leftover_processes import check_no_leftovers
from tests.referee.game_helpers import (
    CONFIG,
    MISBEHAVING,
    Seats,
    choices_of_seat,
    choices_with_stand_ins,
    first_option,
    misbehaving_bot,
    open_descriptors,
    play_games,
    shared_launcher,
)
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

PATIENT = replace(CONFIG, limits=Limits(start=0.5, move=0.3, bank=0.0, wall=60.0))
"""For bots that use up their CPU time, which takes long on a busy machine."""

IMPATIENT = replace(CONFIG, limits=Limits(start=0.5, move=0.3, bank=0.0, wall=3.0))
"""For bots that do nothing, which takes no CPU time; the innocent have to be faster."""

ENDS = {"burns", "exits", "closes_stdout", "endless_line", "garbage", "illegal", "unasked"}
"""One for each kind of end."""

A_PIPE = 1 << 16
"""Bytes that wait in a pipe at most."""

SHORT = "stick-em"
"""A variant with fewer questions."""


class Row(NamedTuple):
    """A bot, and the fault it gets."""

    bot: str
    fault: FaultKind
    text: str
    """A pattern of what is said about it."""
    lost: Literal["game", "rest", "answer"]
    """What the referee plays for it: all of the game, the rest of it, or one answer."""
    reply: str | None = None
    """A pattern of what it wrote."""
    stderr: str = ""
    question: int = 3
    """The one it fails at."""
    patient: bool = True


STARTS = [
    Row("silent", "start", r"did not say 'ready' in \d+\.\d s, 0\.\d s of", "game", patient=False),
    Row("slow_start", "start", r"did not say 'ready' in .* \d\.\d s of them CPU", "game"),
    Row("exits_at_once", "start", "never said 'ready': exit status 1", "game", stderr="the open"),
    Row("says_hello_first", "start", "is not a message: it is not JSON", "game", "^SuperBot 3000"),
    Row("plays_something_else", "start", "does not play sticheln", "game", '"was-sticht"'),
]

ONCE = [
    Row("burns", "timeout", r"(0\.[3-9]|[1-9]\.\d)\d s of CPU time, 0\.30 s were", "rest"),
    Row("burns_in_a_child", "timeout", "s of CPU time", "rest"),
    Row("burns_in_orphans", "timeout", "s of CPU time", "rest"),
    Row("burns_in_a_daemon", "timeout", "s of CPU time", "rest"),
    Row("burns_in_children_nobody_waits_for", "timeout", "s of CPU time", "rest"),
    Row("burns_without_a_trace", "timeout", "s of CPU time", "rest"),
    Row("closes_stdin", "exited", "closed its stdin", "rest"),
    Row("ponders", "timeout", "s of CPU time", "rest", question=4),
    Row("sleeps", "timeout", r"no answer in \d+\.\d s of real time", "rest", patient=False),
    Row("exits", "exited", "exit status 1", "rest", stderr="^division by zero, or so\n$"),
    Row("exits_when_not_asked", "exited", "exit status 7", "rest", question=4),
    Row("dies_from_a_signal", "exited", "killed by SIGTERM", "rest"),
    Row("closes_stdout", "exited", "closed its stdout and went on running", "rest"),
    Row("exits_mid_line", "malformed", "no newline at its end: exit status 0", "rest", '"id": 3,'),
    Row("half_line", "malformed", "no newline", "rest", '^{.*"id": 3.*}$', patient=False),
    Row("endless_line", "too-long", "longer than 65536 bytes", "rest", r"^x{2000}\[\.\.\. \d+ by"),
    Row("memory_hog", "memory", r"holds \d+ MiB, 64 MiB are allowed", "rest"),
    Row("garbage", "malformed", "is not JSON", "answer", "^R7, please$"),
    Row("empty_line", "malformed", "the line is empty", "answer", "^$"),
    Row("invalid_utf8", "malformed", "byte 35 is not UTF-8", "answer", r'"R\\xff7"'),
    Row("nan", "malformed", "NaN is no JSON number", "answer", '"value": NaN'),
    Row("duplicate_keys", "malformed", "the key 'choice' is there twice", "answer", "B0.*R7"),
    Row("deep_nesting", "malformed", "nests deeper than 16", "answer", r"^\[{2000}\[\.\.\. 30000"),
    Row("huge_number", "malformed", "a number of 9000 characters", "answer", '"id":3333'),
    Row("illegal", "illegal", "'Z99' is none of the options", "answer", '"Z99"'),
    Row("wrong_id", "out-of-turn", "question 1000000, which it was not", "answer", ": 1000000,"),
    Row("unasked", "out-of-turn", "question 1000000, which it was not", "answer", ": 1000000,"),
    Row("ready_twice", "out-of-turn", "'ready' a second time", "answer", '^{"type":"ready"}$'),
]

WELL = [
    "answers_twice",
    "closes_stderr",
    "crlf",
    "fills_notes",
    "floods_stderr",
    "ignores_term",
    "innocent",
    "leaves_children",
    "remembers",
    "slow_reader",
]
"""Not nice, some of them, but within the protocol."""

OTHERS = {
    "exits_again_and_again": "exited",
    "floods_stdout": "malformed",
    "floods_with_stale_answers": "out-of-turn",
    "never_reads": "exited",
    "pads_with_stale_answers": "timeout",
}
"""These have tests of their own."""


FAILS_ONLY_LATER = """
import pathlib, sys
been_here = pathlib.Path("been here")
if been_here.exists():
    sys.exit("the second one")
been_here.touch()
print('{"type":"ready","games":8}', flush=True)
for line in sys.stdin:
    if "decide" in line:
        sys.exit("the first one")
"""


@pytest.fixture(scope="module", autouse=True)
def launcher() -> Iterator[None]:
    """One launcher for all tables."""
    with shared_launcher():
        yield


def named(row: Row) -> str:
    return row.bot


def some(*which: str) -> list[Row]:
    """The rows of these bots, or of those that lose so much."""
    return [row for row in [*STARTS, *ONCE] if row.bot in which or row.lost in which]


def in_test(bots: set[str], rows: list[Row]) -> list[object]:
    """Cases for these rows, of which `make test` plays those of some bots."""
    return [
        pytest.param(row, marks=() if row.bot in bots else pytest.mark.soak, id=row.bot)
        for row in rows
    ]


def judge(row: Row, record: Record, fault: Fault) -> None:
    """The fault is the one the row names, with all that shows it."""
    evidence = fault.evidence
    assert (fault.seat, fault.fault) == (0, row.fault)
    assert re.search(row.text, fault.text)
    assert (evidence.reply is None) == (row.reply is None)
    assert re.search(row.reply or "", evidence.reply or "", re.DOTALL)
    assert re.search(row.stderr, evidence.stderr)
    assert (evidence.request is None) == (fault.place is None)
    if evidence.request and fault.place is not None:
        request = json.loads(evidence.request)
        assert request["view"]["seat"] == 0
        assert record.choices[fault.place] == request["options"][0]


def as_it_should_be(row: Row, record: Record, place: int) -> None:
    """All choices are the bots' own, but for those that the referee had to make."""
    spoilt: dict[str, Callable[[int], bool]] = {
        "game": lambda _: True,
        "rest": lambda made: made >= place,
        "answer": lambda made: made == place,
    }
    assert record.choices == choices_with_stand_ins(record, spoilt[row.lost])
    assert record.ranks[0] == 3
    assert min(record.ranks) == 1


def nobody_did_wrong(record: Record) -> None:
    """All seats have played as they wanted."""
    assert record.faults == ()
    assert record.choices == choices_with_stand_ins(record, lambda _: False)


def terms(row: Row, at_once: int) -> RefereeConfig:
    """How long the test waits."""
    return replace(PATIENT if row.patient else IMPATIENT, games_at_once=at_once)


class Starts:
    """Counts how often a seat's process is started."""

    def __init__(self) -> None:
        self.count = [0] * 8

    def __call__(self, seat: int, direction: str, lines: bytes) -> None:
        self.count[seat] += direction == ">" and lines.count(b'{"type":"hello"')


@pytest.mark.parametrize("row", STARTS, ids=named)
def test_a_bot_that_does_not_start(row: Row) -> None:
    (played,) = play_games(
        [misbehaving_bot(row.bot), misbehaving_bot("innocent"), first_option], 1, terms(row, 1)
    )
    (fault,) = played.record.faults
    judge(row, played.record, fault)
    as_it_should_be(row, played.record, 0)


@pytest.mark.parametrize(
    ("name", "at_once"),
    [
        ("exits_at_once", 1),
        ("exits_at_once", 8),
        ("says_hello_first", 1),
        soak_only(("says_hello_first", 8)),
        soak_only(("plays_something_else", 1)),
        ("plays_something_else", 8),
    ],
)
def test_two_failed_starts_are_enough(name: str, at_once: int) -> None:
    starts = Starts()
    seats: Seats = [misbehaving_bot(name), misbehaving_bot("innocent"), first_option]
    played = play_games(seats, 6, replace(CONFIG, games_at_once=at_once), starts)
    for game in played:
        assert {(fault.seat, fault.fault) for fault in game.record.faults} == {(0, "start")}
        assert game.record.choices == choices_with_stand_ins(game.record, lambda _: True)
    assert starts.count[:2] == [2, 1]
    assert played[-1].record.faults[-1].text == "it was retired after 2 faults"


@pytest.mark.parametrize("row", ONCE, ids=named)
def test_one_game_after_the_other(row: Row) -> None:
    seats: Seats = [misbehaving_bot(row.bot), misbehaving_bot("innocent"), first_option]
    spoilt, next_one = play_games(seats, 2, terms(row, 1), name=SHORT)
    (fault,) = spoilt.record.faults
    judge(row, spoilt.record, fault)
    place = choices_of_seat(spoilt.record, seat=0)[row.question - 1]
    assert fault.place in {place, None}
    as_it_should_be(row, spoilt.record, place)
    nobody_did_wrong(next_one.record)


@pytest.mark.parametrize("row", in_test(ENDS, some("rest", "garbage", "illegal", "unasked")))
def test_eight_games_at_once(row: Row) -> None:
    starts = Starts()
    seats: Seats = [misbehaving_bot(row.bot), misbehaving_bot("innocent"), first_option]
    played = play_games(seats, 8, terms(row, 8), starts)
    (spoilt,) = [game.record for game in played if game.record.faults]
    (fault,) = spoilt.faults
    judge(row, spoilt, fault)
    assert fault.place is not None
    as_it_should_be(row, spoilt, fault.place)
    for game in played:
        if game.record is not spoilt:
            nobody_did_wrong(game.record)
    assert starts.count[:2] == [1 if row.lost == "answer" else 2, 1]


@pytest.mark.parametrize(
    ("name", "at_once"),
    [
        *((name, 1) for name in WELL),
        *(
            (name, 8) if name in {"answers_twice", "slow_reader"} else soak_only((name, 8))
            for name in WELL
        ),
    ],
)
def test_odd_behaviour_that_is_not_a_fault(name: str, at_once: int) -> None:
    starts = Starts()
    seats: Seats = [misbehaving_bot(name), misbehaving_bot("innocent"), first_option]
    short = SHORT if at_once == 1 else "sticheln"
    played = play_games(
        seats, max(2, at_once), replace(CONFIG, games_at_once=at_once), starts, short
    )
    for game in played:
        nobody_did_wrong(game.record)
        assert bool(game.record.stale) == (name == "answers_twice")
        assert not game.stderr[0] or name == "floods_stderr"
        assert game.stderr[0] or name != "floods_stderr" or at_once > 1
    assert starts.count[:2] == [1, 1]


def test_stderr_goes_to_the_game_of_the_oldest_question() -> None:
    """So of four games some may get nothing, but nothing is lost while one of them goes on."""
    flood, floods = len("thinking... " * 40_000 + "\n"), 4 * 75 // 10
    read = 0
    for game in play_games(
        [misbehaving_bot("floods_stderr"), first_option, first_option],
        4,
        replace(CONFIG, games_at_once=4),
    ):
        nobody_did_wrong(game.record)
        assert game.stderr[1:] == ("", "")
        cut = re.search(r"\n\[\.\.\. (\d+) bytes \.\.\.\]\n", game.stderr[0])
        read += len(game.stderr[0])
        read += int(cut[1]) - len(cut[0]) if cut else 0
    assert floods * flood - A_PIPE <= read <= floods * flood, "the end may be read after all games"


@pytest.mark.parametrize(("at_once", "deals"), [(1, 2), soak_only((1, 8)), (8, 8)])
def test_stale_answers_are_counted(at_once: int, deals: int) -> None:
    seats: Seats = [first_option, misbehaving_bot("answers_twice"), misbehaving_bot("innocent")]
    played = play_games(seats, deals, replace(CONFIG, games_at_once=at_once))
    counts = [sum(seat) for seat in zip(*(game.record.stale for game in played), strict=True)]
    decisions = deals * 75
    assert counts[0] == counts[2] == 0
    last = "the last of a game may come too late for it"
    assert decisions - deals <= counts[1] <= decisions, last


def test_a_bot_that_ends_again_and_again_is_retired() -> None:
    starts = Starts()
    seats: Seats = [
        misbehaving_bot("exits_again_and_again"),
        misbehaving_bot("innocent"),
        first_option,
    ]
    played = play_games(seats, 6, replace(CONFIG, games_at_once=1, max_faults=3), starts)
    for game in played[:3]:
        (fault,) = game.record.faults
        assert (fault.fault, fault.text) == ("exited", "exit status 3")
        third = choices_of_seat(game.record, seat=0)[2]
        assert fault.place == third
        assert game.record.choices == choices_with_stand_ins(game.record, third.__le__)
    for game in played[3:]:
        (fault,) = game.record.faults
        assert (fault.seat, fault.fault) == (0, "exited")
        assert fault.text == "it was retired after 3 faults"
        assert game.record.choices == choices_with_stand_ins(game.record, lambda _: True)
    assert starts.count[:2] == [3, 1]


def test_a_crash_costs_one_game_however_often_it_happens() -> None:
    starts = Starts()
    seats: Seats = [
        misbehaving_bot("exits_again_and_again"),
        misbehaving_bot("innocent"),
        first_option,
    ]
    played = play_games(seats, 8, replace(CONFIG, games_at_once=8), starts)
    for game in played:
        (fault,) = game.record.faults
        assert (fault.seat, fault.fault, fault.text) == (0, "exited", "exit status 3")
    assert starts.count[:2] == [8, 1]


@pytest.mark.parametrize("at_once", [1, 8])
def test_a_flood_is_stopped(at_once: int) -> None:
    seats: Seats = [misbehaving_bot("floods_stdout"), misbehaving_bot("innocent"), first_option]
    played = play_games(seats, 8, replace(CONFIG, games_at_once=at_once))
    faults = [fault for game in played for fault in game.record.faults]
    assert {(fault.seat, fault.fault) for fault in faults} == {(0, "malformed")}
    assert [fault.evidence.reply for fault in faults].count("nonsense") == CONFIG.max_faults
    assert faults[-1].text == "it was retired after 10 faults"


class Overflow(Exception):
    """The referee listens for too long."""


def test_too_many_stale_answers_are_a_fault() -> None:
    """They cost the bot nothing, so the clock would let it go on for long."""
    heard = 0

    def tap(_seat: int, direction: str, lines: bytes) -> None:
        nonlocal heard
        heard += len(lines) if direction == "<" else 0
        if heard > 1_000_000:
            raise Overflow

    seats: Seats = [
        misbehaving_bot("floods_with_stale_answers"),
        misbehaving_bot("innocent"),
        first_option,
    ]
    spoilt, next_one = play_games(seats, 2, replace(CONFIG, games_at_once=1), tap)
    (fault,) = spoilt.record.faults
    assert (fault.seat, fault.fault) == (0, "out-of-turn")
    assert fault.text == "it answers settled questions more than 64 times in a row"
    assert '"id": 2' in (fault.evidence.reply or "")
    assert spoilt.record.stale == (MAX_STALE_ANSWERS + 1, 0, 0)
    first = fault.place or 0
    assert spoilt.record.choices == choices_with_stand_ins(
        spoilt.record, lambda place: place >= first
    )
    nobody_did_wrong(next_one.record)


def test_stale_answers_do_not_share_the_time() -> None:
    """Two answers of 0.1 s are more than 0.05 s each and a bank of 0.08 s."""
    little = replace(
        CONFIG, games_at_once=1, limits=Limits(start=1.0, move=0.05, bank=0.08, wall=10.0)
    )
    (played,) = play_games(
        [misbehaving_bot("pads_with_stale_answers"), first_option, first_option], 1, little
    )
    (fault,) = played.record.faults
    assert (fault.seat, fault.fault) == (0, "timeout")
    assert fault.place in choices_of_seat(played.record, seat=0)[1:4]


def test_a_flood_is_hardly_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven thousand lines come in one go; after the tenth the bot is retired."""
    decoded = 0

    def decode(line: bytes) -> FromBot:
        nonlocal decoded
        decoded += 1
        return codec.decode_line(line)

    monkeypatch.setattr(answers, "decode_line", decode)
    (played,) = play_games(
        [misbehaving_bot("floods_stdout"), first_option, first_option],
        1,
        replace(CONFIG, games_at_once=1),
    )
    assert played.record.faults[-1].text == "it was retired after 10 faults"
    assert decoded < 1_000


def test_notes_have_a_budget() -> None:
    """One that writes them without end fills nobody's disk, and takes no room from others."""
    seats: Seats = [misbehaving_bot("fills_notes"), misbehaving_bot("fills_notes"), first_option]
    for game in play_games(seats, 2, replace(CONFIG, games_at_once=2)):
        record = game.record
        for seat in (0, 1):
            notes = [
                record.notes[place]
                for place in choices_of_seat(record, seat)
                if place in record.notes
            ]
            assert [note == NOTES_DROPPED for note in notes] == [False] * (len(notes) - 1) + [True]
            assert (
                MAX_NOTES_BYTES - 4_000
                < sum(len(note.encode()) for note in notes[:-1])
                <= MAX_NOTES_BYTES
            )
        assert len(pack_games([StoredGame(record)])) < 2 * MAX_NOTES_BYTES + 8_000


@pytest.mark.parametrize("retire", [soak_only(1), 3])
def test_a_bot_that_never_reads(retire: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So much is written to it that its pipe is full when it ends."""
    monkeypatch.setattr(process, "PIPE_SIZE", 4096)
    seats: Seats = [misbehaving_bot("never_reads"), misbehaving_bot("innocent"), first_option]
    played = play_games(seats, 16, replace(CONFIG, games_at_once=16, max_faults=retire))
    for game in played:
        assert {(fault.seat, fault.fault) for fault in game.record.faults} == {(0, "exited")}
    ended = [game for game in played if game.record.faults[0].text == "exit status 5"]
    assert len(ended) == retire


def test_questions_pile_up_until_a_bot_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a pipe holds, so that some wait for room."""
    monkeypatch.setattr(process, "PIPE_SIZE", 4096)
    longest = 0

    def tap(_seat: int, direction: str, lines: bytes) -> None:
        nonlocal longest
        longest = max(longest, len(lines) if direction == ">" else 0)

    seats: Seats = [misbehaving_bot("slow_reader"), misbehaving_bot("innocent"), first_option]
    for game in play_games(seats, 16, replace(CONFIG, games_at_once=16), tap):
        nobody_did_wrong(game.record)
    assert longest > 4096


def test_a_closed_stderr_causes_no_busy_loop() -> None:
    """A poll that has nothing to wait for any more would return at once, again and again."""
    turns = 0

    class Counting(Referee):
        def run_once(self) -> None:
            nonlocal turns
            turns += 1
            super().run_once()

    seats: Seats = [misbehaving_bot("closes_stderr"), misbehaving_bot("slow_reader"), first_option]
    with check_no_leftovers(), Launcher() as launcher:
        game = variant("sticheln").game(3)
        (played,) = Counting(game, seats, launcher, replace(CONFIG, games_at_once=1)).play(
            [Deal(0)]
        )
    nobody_did_wrong(played.record)
    assert turns < 1000


@pytest.mark.parametrize(
    "row", in_test({"exits_at_once", "illegal"}, some("exits_at_once", "exits", "nan", "illegal"))
)
def test_strict_stops_at_the_first_fault(row: Row) -> None:
    seats: Seats = [misbehaving_bot(row.bot), misbehaving_bot("innocent"), first_option]
    with pytest.raises(GameStopped, match=row.text) as stopped:
        play_games(seats, 8, replace(terms(row, 8), policy=FaultPolicy.STRICT))
    record, fault = stopped.value.record, stopped.value.fault
    assert record.stopped
    assert record.faults == (fault,)
    assert (fault.seat, fault.fault) == (0, row.fault)
    verify_record(record)
    assert all(len(part) == len(record.choices) for part in (record.wall, record.cpu))


@pytest.mark.parametrize("row", in_test({"illegal"}, some("garbage", "illegal", "unasked")))
def test_a_forfeit_costs_the_rest_of_that_game(row: Row) -> None:
    seats: Seats = [misbehaving_bot(row.bot), misbehaving_bot("innocent"), first_option]
    forfeit = replace(CONFIG, games_at_once=1, policy=FaultPolicy.FORFEIT)
    spoilt, next_one = play_games(seats, 2, forfeit)
    judge(row, spoilt.record, spoilt.record.faults[0])
    as_it_should_be(
        row._replace(lost="rest"), spoilt.record, choices_of_seat(spoilt.record, seat=0)[2]
    )
    nobody_did_wrong(next_one.record)


@pytest.mark.parametrize("at_once", [1, soak_only(4)])
def test_many_culprits_at_one_table(at_once: int) -> None:
    names = ["exits", "illegal", "burns_in_a_child", "endless_line", "floods_stdout"]
    seats: Seats = [
        misbehaving_bot("innocent"),
        *map(misbehaving_bot, names),
        misbehaving_bot("exits"),
        first_option,
    ]
    played = play_games(seats, at_once + 2, replace(CONFIG, games_at_once=at_once))
    found = {(fault.seat, fault.fault) for game in played for fault in game.record.faults}
    kinds = ["exited", "illegal", "timeout", "too-long", "malformed", "exited"]
    assert found == set(enumerate(kinds, 1))
    for game in played:
        guilty = {fault.seat for fault in game.record.faults}
        ranks = game.record.ranks
        assert {ranks[0], ranks[7]} <= {rank for rank in ranks if rank <= 8 - len(guilty)}


def test_a_second_start_that_fails(tmp_path: Path) -> None:
    """What it says about it is evidence in all the games it was to take over."""
    script = tmp_path / "twice.py"
    script.write_text(FAILS_ONLY_LATER)
    played = play_games(
        [load_bot(script), first_option, first_option], 8, replace(CONFIG, games_at_once=8)
    )
    faults = [fault for game in played for fault in game.record.faults]
    assert sorted(fault.fault for fault in faults) == ["exited", *["start"] * 7]
    for fault in faults:
        said = "first" if fault.fault == "exited" else "second"
        assert fault.evidence.stderr == f"the {said} one\n"


def test_descriptors_are_given_back() -> None:
    before = open_descriptors()
    for name in ("exits_again_and_again", "exits_at_once", "floods_stdout", "closes_stderr"):
        play_games([misbehaving_bot(name), misbehaving_bot("innocent"), first_option], 4)
    with pytest.raises(GameStopped):
        play_games(
            [misbehaving_bot("exits"), misbehaving_bot("innocent"), first_option],
            4,
            replace(CONFIG, policy=FaultPolicy.STRICT),
        )
    assert open_descriptors() == before


def test_every_bot_is_on_the_page() -> None:
    page = (MISBEHAVING / "README.md").read_text()
    listed = dict(re.findall(r"\| `([a-z0-9_]+)[./py]*` \|.*\| (?:`([a-z-]+)`|none) \|\n", page))
    expected = {row.bot: row.fault for row in [*STARTS, *ONCE]} | dict.fromkeys(WELL, "") | OTHERS
    there = {path.stem for path in MISBEHAVING.iterdir() if path.suffix != ".md"}
    assert listed == expected
    assert there - {"__pycache__"} == set(expected)
