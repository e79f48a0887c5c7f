"""The page of a game in a node process, against `arena.games` and what the terminal shows."""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import arena
from arena.cli.game_view.event_tracker import EventTracker
from arena.cli.game_view.table import VisibleTable
from arena.games.catalog import variant
from arena.games.replay import Step, play_steps
from arena.referee.faults import Evidence, Fault
from arena.referee.record import Record, SeatedBot, deciders, rank_seats, replay_steps
from arena.sanitize import printable
from tests.games.game_states import EVERY_TABLE, random_chooser
from tests.suite.stages import soak_only

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("node"),
]

REPORT = Path(arena.__file__).parent / "report"
STATIC = REPORT / "static"
PAGE = (REPORT / "templates" / "game.html").read_text()
LOADED = re.findall(r'"((?:rules|replay)/\w+)"', PAGE)
"""The scripts in the order in which the page loads them."""
PURE = LOADED[: LOADED.index("replay/element")]
"""Those that need no page; all that draw come after them."""
DRIVER = Path(__file__).with_name("replay.js")

KINDS = {
    ("sticheln+mild", 8),
    ("sticheln+reverse+aggravated+hazy", 4),
    ("sticheln+aggravated+delayed", 3),
    ("stick-em+reverse+mild+delayed", 5),
    ("stick-em+hazy", 6),
    ("hat-trick", 7),
    ("was-sticht", 3),
    ("was-sticht", 4),
}
"""Every game, modifier and number of seats; only `make soak` tries all tables."""
LARGEST = 150_000
"""Bytes of scripts and styles that only this page loads."""

Told = dict[str, Any]
Ask = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """The scripts in a process of their own."""
    command: list[str | Path] = ["node", DRIVER, *(STATIC / f"{name}.js" for name in PURE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        asked, answers = process.stdin, process.stdout
        assert asked
        assert answers

        def answer(request: dict[str, Any]) -> Any:
            asked.write(msgspec.json.encode(request) + b"\n")
            asked.flush()
            line = answers.readline()
            assert line.endswith(b"\n"), "node has ended"
            return msgspec.json.decode(line)

        yield answer
        asked.close()
    assert process.returncode == 0


def play_game(name: str, seats: int, seed: int = 5) -> tuple[Record, list[Step]]:
    """A game by chance, some seat being the first."""
    chance = Random(f"{name} {seats} {seed}")
    first = chance.randrange(seats)
    story = list(play_steps(variant(name).game(seats), seed, random_chooser(chance), first))
    game, state = story[0].game, story[-1].after
    choices = tuple(choice for step in story for choice in step.choices)
    record = Record(
        variant=name,
        seats=seats,
        seed=seed,
        choices=choices,
        first=first,
        bots=tuple(SeatedBot(f"bot{seat}", "1") for seat in range(seats)),
        scores=game.scores(state),
        ranks=rank_seats(game, state, ()),
        wall=(1500,) * len(choices),
        cpu=(20,) * len(choices),
    )
    return record, story


def show_replay(ask: Ask, record: Record, viewer: int | None = None) -> Told:
    """What the page makes of a record, with all that unpacking fills in."""
    usual_fields = {"first": 0, "faults": [], "notes": {}, "stale": [], "stopped": False}
    given = {**usual_fields, **msgspec.to_builtins(record, str_keys=True)}
    filled = {"place": None, "evidence": {"request": None, "reply": None, "stderr": ""}}
    given["faults"] = [{**filled, **fault} for fault in given["faults"]]
    told: Told = ask({"game": {"record": given, "viewer": viewer}})
    return told


def assert_whole(told: Told, story: Sequence[Step], record: Record) -> None:
    """Every event and choice has its stop, every stop its own anchor, and all are found."""
    stops = told["stops"]
    events = [event for stop in stops for event in stop["events"]]
    happened = [event for step in story for event in step.events()]
    assert events == msgspec.json.decode(msgspec.json.encode(happened))
    made = [choice["choice"] for stop in stops for choice in stop["choices"]]
    assert tuple(made) == record.choices
    assert len({stop["anchor"] for stop in stops}) == len(stops)
    assert [stop["found"] for stop in stops] == list(range(len(stops)))
    for at, stop in enumerate(stops):
        assert set(stop["chosen"]) <= {at}
    assert sum(told["lines"]) == len(stops)
    offered = [
        list(decision.options)
        for step in story
        if step.before is not None
        for decision in step.game.pending(step.before)
    ]
    assert told["options"] == offered


def assert_placed(told: Told, story: Sequence[Step]) -> None:
    """Rounds and tricks are those that the terminal counts."""
    teller = EventTracker()
    placed = [one for step in story for one in teller.step_events(step)]
    stops = [stop for stop in told["stops"] for _ in stop["events"]]
    for stop, one in zip(stops, placed, strict=True):
        if one.trick is not None:
            assert stop["anchor"].startswith(f"r{(one.round or 0) + 1}t{one.trick + 1}c")
            assert stop["named"].startswith(f"Round {(one.round or 0) + 1}, trick {one.trick + 1},")
        elif one.round is not None:
            assert stop["round"] == one.round + 1


def assert_table(told: Told, story: Sequence[Step], seats: int, viewer: int | None) -> None:
    """The table after each stop is that of the terminal."""
    table, teller = VisibleTable(seats), EventTracker(viewer)
    told_by_step = [list(teller.step_events(step)) for step in story]
    stops = told["stops"]
    for at, stop in enumerate(stops):
        last = at + 1 == len(stops) or stops[at + 1]["step"] != stop["step"]
        if not last:
            continue
        for one in told_by_step[stop["step"]]:
            table.apply(one.event)
        state = stop["state"]
        for seat, cards in table.hands.items():
            assert tuple(state["hands"][seat]) == cards, stop["anchor"]
        for seat, laid in table.designated_cards.items():
            assert tuple(state["laid"][seat]) == laid
        for seat, special in table.special_colours.items():
            assert state["special"][seat] == list(special)
        assert state["won"] == table.won_cards
        assert state["tricks"] == table.trick_counts
        assert [len(passed) for passed in state["passed"]] == table.pass_counts
        assert state["tokens"] == table.tokens
        assert {s: t for s, t in enumerate(state["tasks"]) if t} == table.tasks
        assert {s: t for s, t in enumerate(state["dropped"]) if t} == table.discarded_tokens
        hidden = [card for seat in range(seats) for card in state["hands"][seat] if card is None]
        assert not hidden or viewer is not None


def assert_scored(told: Told, record: Record) -> None:
    """Points build up to what is written down."""
    scored = [stop for stop in told["stops"] if stop["kind"] == "scored"]
    assert scored
    for stop in scored:
        assert stop["running"] == stop["state"]["points"]
    last = told["stops"][-1]
    assert last["kind"] == "end"
    assert tuple(last["state"]["scores"]) == record.scores
    assert len(last["state"]["rounds"]) == len(told["rounds"]) == len(scored)


def assert_said(told: Told) -> None:
    """Every stop is put into words."""
    for stop in told["stops"]:
        assert stop["said"]
        for sentence in stop["said"]:
            assert re.fullmatch(r"[A-Zs].*\.", sentence), sentence
            assert not re.search(r"undefined|null|NaN|\[object|_", sentence), sentence


def assert_game(ask: Ask, name: str, seats: int) -> None:
    record, story = play_game(name, seats)
    told = show_replay(ask, record)
    assert_whole(told, story, record)
    assert_placed(told, story)
    assert_table(told, story, seats, None)
    assert_scored(told, record)
    assert_said(told)
    seen = show_replay(ask, record, viewer=1)
    assert_table(seen, story, seats, 1)
    assert_said(seen)


@pytest.mark.parametrize(
    ("name", "seats"), [table if table in KINDS else soak_only(table) for table in EVERY_TABLE]
)
def test_every_table(ask: Ask, name: str, seats: int) -> None:
    assert_game(ask, name, seats)


def test_a_seat_sees_only_what_it_may(ask: Ask) -> None:
    record, _ = play_game("sticheln+aggravated+hazy", 4)
    told = show_replay(ask, record, viewer=2)
    designated = next(stop for stop in told["stops"] if stop["kind"] == "designated")
    hidden = [said for said in designated["said"] if "2 cards, face down" in said]
    assert len(hidden) == len(record.bots) - 1
    assert designated["state"]["laid"][0] == [None, None]
    assert None not in designated["state"]["laid"][2]
    deal = told["stops"][0]["state"]
    assert deal["hands"][0] == [None] * 15
    assert None not in deal["hands"][2]
    playing = next(stop for stop in told["stops"] if stop["anchor"] == "r1t9c4")
    assert [points is None for points in playing["running"]] == [True, True, False, True]

    draft, _ = play_game("was-sticht", 4)
    dealer = draft.first
    for viewer in range(4):
        stops = show_replay(ask, draft, viewer=viewer)["stops"]
        picking = next(stop for stop in stops if stop["anchor"] == "r1d5c2")
        assert (picking["state"]["trumps"] is None) == (viewer != dealer)
        later = next(stop for stop in stops if stop["anchor"] == "r1trumps")
        assert later["state"]["trumps"]["open"]


def test_leaps_go_from_trick_to_trick(ask: Ask) -> None:
    record, _ = play_game("hat-trick", 5)
    told = show_replay(ask, record)
    anchors = [stop["anchor"] for stop in told["stops"]]
    at = anchors.index("r2t5c3")
    back, on = told["leaps"][at]
    assert (anchors[back], anchors[on]) == ("r2t5c1", "r2t6c1")
    assert told["leaps"][0][0] == 0
    assert told["leaps"][-1][1] == len(anchors) - 1


def test_remarks_stand_at_their_choices(ask: Ask) -> None:
    record, _ = play_game("sticheln", 3)
    seats = [*deciders(record)]
    other, early, late = seats[4], *({0, 1, 2} - {seats[4]})
    place = seats.index(late, 6)
    evidence = Evidence("ask", "Z9", "oops")
    faults = (
        Fault(early, "start", "it did not start"),
        Fault(late, "illegal", "'Z9' is none of the options", place, evidence),
    )
    asked = [*record.wall]
    unasked = [at for at, seat in enumerate(seats) if at >= place and seat != early][:5]
    for at in unasked:
        asked[at] = 0
    faulty = replace(record, faults=faults, notes={4: "<b>"}, wall=tuple(asked))
    stops = show_replay(ask, faulty)["stops"]
    remarks = [remark for stop in stops for remark in stop["remarks"]]
    assert stops[0]["remarks"][0]["faults"][0]["fault"] == "start"
    made = {remark["place"]: remark for remark in remarks if "place" in remark}
    assert [made[at]["seat"] for at in range(len(made))] == seats
    assert made[4]["note"] == "<b>"
    assert [fault["fault"] for fault in made[place]["faults"]] == ["illegal"]
    assert made[place]["faults"][0]["evidence"]["stderr"] == "oops"
    standing_in = {at for at, remark in made.items() if remark["standsIn"]}
    assert standing_in == {at for at in unasked if seats[at] == late}
    assert (made[4]["wall"], made[4]["cpu"], made[place]["wall"]) == (1500, 20, 0)

    silent = show_replay(ask, faulty, viewer=early)["stops"]
    heard = [remark for stop in silent for remark in stop["remarks"]]
    assert not any(remark.get("note") for remark in heard)
    assert {remark["seat"] for remark in heard if remark["faults"]} == {early}
    own = show_replay(ask, faulty, viewer=other)["stops"]
    noted = [one["place"] for stop in own for one in stop["remarks"] if one.get("note")]
    assert noted == [4]


def test_a_game_that_was_broken_off(ask: Ask) -> None:
    record, _ = play_game("was-sticht", 3)
    fault = Fault(0, "timeout", "slow", 40)
    short = replace(record, choices=record.choices[:40], stopped=True, faults=(fault,))
    told = show_replay(ask, short)
    assert_whole(told, list(replay_steps(short)), short)
    last = told["stops"][-1]
    assert (last["kind"], last["anchor"]) == ("stopped", "end")
    assert last["remarks"][0]["faults"][0]["text"] == "slow"
    assert last["said"] == ["The game was broken off here, at a fault."]


def test_a_seat_at_fault_does_not_win(ask: Ask) -> None:
    record, _ = play_game("stick-em", 4)
    best = record.ranks.index(1)
    changed = tuple(4 if seat == best else 1 for seat in range(4))
    end = show_replay(ask, replace(record, ranks=changed))["stops"][-1]
    assert f"seat {best} " not in end["said"][0]
    assert end["said"][0].endswith(" share the victory.")


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (0, "0 µs"),
        (999, "999 µs"),
        (1000, "1 ms"),
        (1250, "1.3 ms"),
        (12_345, "12 ms"),
        (999_499, "999 ms"),
        (999_600, "1 s"),
        (1_234_567, "1.23 s"),
        (123_456_789, "123 s"),
    ],
)
def test_durations(ask: Ask, micros: int, words: str) -> None:
    assert ask({"call": ["duration", micros]}) == words


def test_times(ask: Ask) -> None:
    assert ask({"call": ["took", 12_000, 3000]}) == "12 ms, CPU 3 ms"
    assert ask({"call": ["took", 0, 0]}) == "not asked"


@pytest.mark.parametrize("seats", range(3, 9))
def test_seats_go_round_the_table_clockwise(ask: Ask, seats: int) -> None:
    for viewer in range(seats):
        places = [ask({"call": ["placeOf", seat, seats, viewer]}) for seat in range(seats)]
        assert len({place["area"] for place in places}) == seats
        own = places[viewer]
        assert own["y"] > 0.9
        turned = [places[(viewer + at) % seats] for at in range(seats)]
        sides = [place["x"] for place in turned]
        assert sides.index(min(sides)) < sides.index(max(sides)), "left comes before right"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "<b>&amp;</b>",
        "\u202egnp.exe \x07\x1b[31m",
        "a\u0301\u0301\u0301\u0301\u0301",
        "\u0301\ufeff\u2028\u3000\U000e0101\u115f",
        "Zoë 漢字 🂡",
    ],
)
def test_texts_of_bots_are_sanitized(ask: Ask, text: str) -> None:
    assert ask({"printable": text}) == printable(text)


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        (("?game=1f-2&seat=3", "#r2t5c3"), ("1f-2", 3, "r2t5c3")),
        (("?game=1f-2&seat=x", ""), ("1f-2", None, "")),
        (("", "#%"), (None, None, "%")),
    ],
)
def test_addresses(
    ask: Ask, address: tuple[str, str], wanted: tuple[str | None, int | None, str]
) -> None:
    told = ask({"call": ["wanted", {"search": address[0], "hash": address[1]}]})
    assert (told["id"], told["seat"], told["anchor"]) == wanted


@pytest.mark.parametrize(
    ("given", "parsed"),
    [
        ("1f0a2b3c4d-2", {"digits": "1f0a2b3c4d", "turn": 2}),
        ("../1f-2", None),
        ("1f", None),
        ("1F0A-1", None),
        (None, None),
    ],
)
def test_ids(ask: Ask, given: str | None, parsed: dict[str, Any] | None) -> None:
    assert ask({"call": ["parseId", given]}) == parsed


def test_the_page_loads_every_script_once() -> None:
    files = {
        f"{folder}/{file.stem}"
        for folder in ("rules", "replay")
        for file in (STATIC / folder).glob("*.js")
    }
    assert sorted(LOADED) == sorted(files)
    first = (STATIC / "rules" / "msgpack.js").read_text()
    order = re.findall(r"^//   (\w+)\.js", first, re.MULTILINE)
    assert [name.split("/")[1] for name in LOADED if name.startswith("rules/")] == order


def test_the_page_is_small() -> None:
    styles = [*(STATIC / "replay").glob("*.css"), STATIC / "replay.css"]
    scripts = [STATIC / f"{name}.js" for name in LOADED]
    assert sum(file.stat().st_size for file in (*styles, *scripts)) < LARGEST


def test_scripts_never_insert_html() -> None:
    for file in (STATIC / "replay").glob("*.js"):
        text = file.read_text()
        assert not re.search(r"(inner|outer)HTML|insertAdjacent|document\.write|eval\(", text)
    assert not re.search(r"\sstyle=|\son\w+=|<script>", PAGE)
