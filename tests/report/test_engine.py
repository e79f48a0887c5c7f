"""The rules in JavaScript, in a node process that all tests share, against `arena.games`."""

import base64
import dataclasses
import json
import re
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Raw, Struct
from msgspec.structs import replace

import arena
from arena.errors import ArenaError
from arena.games.base import Decision
from arena.games.catalog import variant
from arena.games.replay import ChoiceFunction, Step, play_steps
from arena.games.shuffle import SeededShuffle
from arena.games.was_sticht.engine import WasStichtGame
from arena.games.was_sticht.rules import WAS_STICHT
from arena.referee.faults import Evidence, Fault
from arena.referee.record import Record, SeatedBot, rank_seats, replay_steps
from arena.store.block import MAX_GAMES_BYTES, StoredGame, pack_games, unpack_games
from tests.games.game_states import EVERY_TABLE, random_chooser, usual_size

pytestmark = pytest.mark.needs("node")

RULES = Path(arena.__file__).parent / "report" / "static" / "rules"
ORDER = re.findall(r"^//   (\w+\.js)", (RULES / "msgpack.js").read_text(), re.MULTILINE)
"""The scripts in the order in which the first of them says they are loaded."""
DRIVER = Path(__file__).with_name("engine.js")
GOLDEN = Path(__file__).parents[1] / "games" / "golden.jsonl"

SEEDS = (0, 7, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1, -5, -(2**53) - 1, -(2**63))
USUAL = [(name, seats) for name, seats in EVERY_TABLE if seats == usual_size(name)]
GAMES = [("sticheln+aggravated+hazy", 3), ("stick-em", 4), ("hat-trick", 7), ("was-sticht", 3)]


class Told(Struct):
    """What became of a record: its steps as they were written, or an error."""

    steps: Raw = Raw(b"")
    error: str = ""
    kept: StoredGame | None = None


class Unpacked(Struct):
    """What became of a block's games."""

    games: tuple[Told, ...] = ()
    error: str = ""


Engine = Callable[[Sequence[dict[str, Any]]], list[bytes]]
"""Answers requests by lines."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """The scripts in a process of their own."""
    command = ["node", DRIVER, *(RULES / name for name in ORDER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        asked, answers = process.stdin, process.stdout
        assert asked
        assert answers

        def answer(request: dict[str, Any]) -> bytes:
            asked.write(msgspec.json.encode(request) + b"\n")
            asked.flush()
            line = answers.readline()
            assert line.endswith(b"\n"), "node has ended"
            return line

        yield lambda requests: [answer(request) for request in requests]
        asked.close()
        assert not answers.read()
    assert process.returncode == 0


def unpacked(engine: Engine, packs: Sequence[bytes]) -> list[Unpacked]:
    """What the scripts make of packed games; seeds come as text."""
    lines = engine([{"unpack": base64.b64encode(packed).decode()} for packed in packs])
    return [msgspec.json.decode(line, type=Unpacked, strict=False) for line in lines]


def replayed(engine: Engine, records: Sequence[Record]) -> list[Told]:
    """What the scripts make of records; a seed is to be safe as a number."""
    lines = engine([{"steps": record} for record in records])
    return [msgspec.json.decode(line, type=Told) for line in lines]


def encode_steps(story: Sequence[Step]) -> bytes:
    """Steps as the scripts are to give them."""
    place, told = 0, []
    for step in story:
        made = []
        decisions = () if step.before is None else step.game.pending(step.before)
        for decision, choice in zip(decisions, step.choices, strict=True):
            seat, kind = decision.seat, decision.kind
            made.append({"place": place, "seat": seat, "kind": kind, "choice": choice})
            place += 1
        told.append({"choices": made, "events": list(step.events())})
    return msgspec.json.encode(told)


def make_record(story: Sequence[Step], seed: int, first: int, **changes: Any) -> Record:
    """The record of a game, and of it all that is not its story made up."""
    game, state = story[0].game, story[-1].after
    choices = tuple(choice for step in story for choice in step.choices)
    usual = Record(
        variant=game.variant,
        seats=game.seats,
        seed=seed,
        choices=choices,
        first=first,
        bots=tuple(SeatedBot(f"bot{seat}", "1") for seat in range(game.seats)),
        scores=game.scores(state),
        ranks=rank_seats(game, state, ()),
        wall=tuple(range(len(choices))),
        cpu=(70_000,) * len(choices),
    )
    return replace(usual, **changes)


def play_game(name: str, seats: int, seed: int, chance: Random) -> tuple[Record, list[Step]]:
    """A game by chance, some seat being the first."""
    first = chance.randrange(seats)
    story = list(play_steps(variant(name).game(seats), seed, random_chooser(chance), first))
    return make_record(story, seed, first), story


def assert_same(told: Told, story: Sequence[Step], record: Record) -> None:
    """The steps are those of Python, down to the order of fields."""
    table = f"{record.variant} of {record.seats} with seed {record.seed}"
    assert told.error == "", table
    wanted = encode_steps(story)
    if bytes(told.steps) != wanted:
        for step, (got, want) in enumerate(
            zip(msgspec.json.decode(told.steps), msgspec.json.decode(wanted), strict=False)
        ):
            assert got == want, f"{table}, step {step}"
        pytest.fail(f"{table}: another number of steps, or another order of fields")


def sweep(engine: Engine, tables: Sequence[tuple[str, int]], seeds: Sequence[int]) -> None:
    """Play at all these tables, each seed once, pack the games of a table, and compare."""
    chance = Random("sweep")
    blocks = [[play_game(*table, seed, chance) for seed in seeds] for table in tables]
    packs = [pack_games(StoredGame(record) for record, _ in block) for block in blocks]
    for block, told in zip(blocks, unpacked(engine, packs), strict=True):
        assert told.error == ""
        for (record, story), game in zip(block, told.games, strict=True):
            assert game.kept == StoredGame(record)
            assert_same(game, story, record)
            ended = msgspec.json.decode(game.steps)[-1]["events"][-1]
            assert tuple(ended["scores"]) == record.scores
            assert tuple(ended["ranks"]) == record.ranks


def test_every_script_has_its_place() -> None:
    assert sorted(ORDER) == sorted(file.name for file in RULES.iterdir())


def test_every_variant(engine: Engine) -> None:
    sweep(engine, USUAL, [11])


@pytest.mark.soak
def test_every_table(engine: Engine) -> None:
    sweep(engine, EVERY_TABLE, [1, 2, 2**64 - 3])


@pytest.mark.slow
def test_golden_games(engine: Engine) -> None:
    lines = GOLDEN.read_text().splitlines()
    games = [json.loads(line) for line in lines]
    answers = engine([{"golden": [g["game"], g["players"], g["seed"]]} for g in games])
    assert [json.loads(answer) for answer in answers] == games


def test_the_deal_of_any_seed(engine: Engine) -> None:
    draws = [
        (seed, draw, size)
        for seed in (*SEEDS, 10**160, 10**700)
        for draw in (0, 299)
        for size in (1, 2, 21, 22, 114)
    ]
    asked = [{"shuffle": [str(seed), draw, [*range(size)]]} for seed, draw, size in draws]
    for (seed, draw, size), line in zip(draws, engine(asked), strict=True):
        assert json.loads(line) == SeededShuffle(seed)(draw, range(size))


def test_seeds_beyond_what_numbers_hold(engine: Engine) -> None:
    sweep(engine, GAMES[:1], SEEDS)


def lowest(_state: object, decisions: Sequence[Decision]) -> list[str]:
    """The lowest numbers, so that there are tricks of zeros and of equal numbers."""
    return [min(d.options, key=lambda option: option[1:].zfill(2)) for d in decisions]


def outermost(at: int) -> ChoiceFunction:
    """The first or last option, so that there are tricks of one colour."""
    return lambda _state, decisions: [decision.options[at] for decision in decisions]


@pytest.mark.parametrize(
    "choose", [lowest, outermost(0), outermost(-1)], ids=["lowest", "first", "last"]
)
def test_games_that_chance_does_not_play(engine: Engine, choose: ChoiceFunction) -> None:
    names = ("sticheln", "sticheln+aggravated+delayed", "stick-em", "hat-trick", "was-sticht")
    games = [variant(name).game(variant(name).seats[0]) for name in names]
    deals = [(game, seed) for game in games for seed in (1, 2)]
    stories = [list(play_steps(game, seed, choose)) for game, seed in deals]
    records = [make_record(story, seed, 0) for story, (_, seed) in zip(stories, deals, strict=True)]
    for story, record, told in zip(stories, records, replayed(engine, records), strict=True):
        assert_same(told, story, record)


def test_a_hundred_rounds_are_enough(engine: Engine) -> None:
    rules = dataclasses.replace(WAS_STICHT, fulfilled=lambda *_: False)
    story = list(play_steps(WasStichtGame("was-sticht", 3, rules), 1, random_chooser(Random(1))))
    record = make_record(story, 1, 0)
    (line,) = engine([{"unfulfilled": record}])
    assert_same(msgspec.json.decode(line, type=Told), story, record)


def broken_off(chance: Random) -> Iterator[tuple[Record, list[Step]]]:
    """Games that were stopped: before anything, between steps, and among choices made at once."""
    for table in GAMES:
        record, _ = play_game(*table, 3, chance)
        for count in (0, 1, 2, *(chance.randrange(len(record.choices)) for _ in range(5))):
            stopped = replace(record, choices=record.choices[:count], stopped=True)
            yield stopped, list(replay_steps(stopped))


def test_games_that_were_broken_off(engine: Engine) -> None:
    games = list(broken_off(Random(4)))
    (told,) = unpacked(engine, [pack_games(StoredGame(record) for record, _ in games)])
    for (record, story), game in zip(games, told.games, strict=True):
        assert_same(game, story, record)


def tampered(record: Record, chance: Random) -> Iterator[Record]:
    """The record with something in it changed, which may or may not make another game."""
    tokens = sorted({*record.choices, "R99", "", "constructor", "B1+B1", "R"})
    count = len(record.choices)
    for _ in range(8):
        at = chance.randrange(count)
        before, after = record.choices[:at], record.choices[at + 1 :]
        yield replace(record, choices=(*before, chance.choice(tokens), *after))
        yield replace(record, choices=(*before, *after), stopped=chance.random() < 0.5)
        yield replace(record, choices=(*before, record.choices[at], *record.choices[at:]))
    yield replace(record, choices=record.choices[:-1])
    yield replace(record, choices=(*record.choices, "R1"))
    yield replace(record, choices=())
    yield replace(record, seed=record.seed + 1)
    yield replace(record, variant="sticheln+reverse")
    for strange in ("", "skat", "hat-trick+hazy", "sticheln+hazy+delayed", "__proto__", "size"):
        yield replace(record, variant=strange)
    for seats in (-1, 0, 2, 4, 9, 2**40):
        yield replace(record, seats=seats)
    for first in (-1, record.first ^ 1, 9):
        yield replace(record, first=first)


@pytest.mark.slow
def test_a_record_that_was_tampered_with(engine: Engine) -> None:
    """Both refuse it, or both see the same game in it."""
    chance = Random(5)
    originals = [play_game(*table, 9, chance)[0] for table in GAMES]
    records = [changed for record in originals for changed in tampered(record, chance)]
    refused = 0
    for record, told in zip(records, replayed(engine, records), strict=True):
        try:
            story = list(replay_steps(record))
        except ArenaError:
            assert told.error, record
            assert not re.search(r"\n|undefined|not meant", told.error)
            refused += 1
        else:
            assert_same(told, story, record)
    assert len(records) / 2 < refused < len(records)


def test_error_texts_are_those_of_python(engine: Engine) -> None:
    story = list(play_steps(variant("stick-em").game(4), 1, random_chooser(Random(1))))
    record = make_record(story, 1, 0)
    made = record.choices
    cases = [
        (
            replace(record, choices=(*made[:2], "R99", *made[3:])),
            "stick-em: seat 2 cannot have answered R99 to designate",
        ),
        (
            replace(record, choices=(*made[:4], "R99", *made[5:])),
            "stick-em: seat 0 cannot have answered R99 to play",
        ),
        (
            replace(record, choices=made[:-1]),
            "the choices of this game of stick-em end before it is over",
        ),
        (
            replace(record, choices=(*made, "R1", "R2")),
            "the game is over, and 2 more choices follow",
        ),
        (replace(record, variant="skat"), "there is no variant skat"),
        (replace(record, seats=7), "stick-em is not played by 7"),
        (replace(record, first=4), "stick-em: a table of 4 has no seat 4"),
    ]
    told = replayed(engine, [record for record, _ in cases])
    assert [one.error for one in told] == [sentence for _, sentence in cases]


def test_evidence_notes_and_times(engine: Engine) -> None:
    record, _ = play_game("hat-trick", 4, 1, Random(6))
    shown = Evidence("ask", "\x00\x1b[31m", "Tr\u00e4ce" * 9000, 0.1, 1e-9, 2.0)
    faults = (Fault(3, "timeout", "slow"), Fault(0, "illegal", "no", 70_000, shown))
    notes = {0: "\ufeff<b>\u202e\U0001d11e", 300: "", 70_000: "x" * 300}
    full = replace(record, faults=faults, notes=notes, stale=(0, 1, 200, 2**40))
    games = (StoredGame(full, ("", "\ufeffa\u2028b", "c" * 70_000, "")), StoredGame(record))
    (told,) = unpacked(engine, [pack_games(games)])
    assert tuple(game.kept for game in told.games) == games


def test_omitted_fields_have_defaults(engine: Engine) -> None:
    record, _ = play_game("hat-trick", 4, 1, Random(6))
    packed = pack_games(
        [StoredGame(replace(record, first=0, faults=(Fault(1, "timeout", "slow"),)))]
    )
    (line,) = engine([{"unpack": base64.b64encode(packed).decode()}])
    kept = json.loads(line)["games"][0]["kept"]
    assert kept["stderr"] == []
    assert {name: kept["record"][name] for name in ("first", "notes", "stale", "stopped")} == {
        "first": 0,
        "notes": {},
        "stale": [],
        "stopped": False,
    }
    evidence = {"request": None, "reply": None, "stderr": "", "wall": 0, "cpu": 0, "waited": 0}
    wanted = {"seat": 1, "fault": "timeout", "text": "slow", "place": None, "evidence": evidence}
    assert kept["record"]["faults"] == [wanted]


def damaged_packs() -> Iterator[bytes]:
    """Packs that are none."""
    record, _ = play_game("hat-trick", 4, 1, Random(7))
    packed = pack_games([StoredGame(record)])
    plain = zlib.decompress(packed)
    for at in range(0, len(packed), 97):
        yield packed[:at]
        yield packed[:at] + bytes([packed[at] ^ 0x10]) + packed[at + 1 :]
    for at in range(0, len(plain), 97):
        yield zlib.compress(plain[:at])
    whole: dict[str, Any] = msgspec.to_builtins(record)
    strange: tuple[Any, ...] = (None, {"a": 1}, [[]])
    wrong: list[Any] = [
        *({**whole, field: value} for field in whole for value in strange),
        *(
            {name: value for name, value in whole.items() if name != gone}
            for gone in whole
            if gone != "first"
        ),
        {**whole, "notes": {"x": "y"}},
        {**whole, "notes": {1: 2}},
        {**whole, "faults": [{"seat": 1}]},
        {**whole, "bots": [{"name": 1, "version": ""}]},
    ]
    wrong = [[{"record": other}] for other in wrong]
    wrong += [[[]], [None], [{}], {}, None, 3, [{"record": whole, "stderr": "x"}]]
    yield from (zlib.compress(msgspec.msgpack.encode(other)) for other in wrong)
    odd = (plain + b"\xc0", b"\x91\xc1", b"\x91\xc4\x00", b"\xdd\xff\xff\xff\xff", b"\xa1\xff")
    yield from map(zlib.compress, odd)


def test_damaged_packs_are_rejected(engine: Engine) -> None:
    packs = list(damaged_packs())
    for packed in packs:
        with pytest.raises(ArenaError):
            unpack_games(packed)
    deep = zlib.compress(b"\x91" * 1_000_000)
    for told in unpacked(engine, [*packs, deep]):
        assert not told.games
        assert told.error.startswith("the records of a block cannot be read: ")
    (line,) = engine([{"unpack": "not base64!"}])
    assert json.loads(line)["error"].startswith("the records of a block cannot be read: ")


def test_unknown_keys_are_ignored(engine: Engine) -> None:
    record, _ = play_game("hat-trick", 4, 1, Random(8))
    more = {**msgspec.to_builtins(record), "__proto__": {"stopped": True}, "more": 1}
    (told,) = unpacked(engine, [zlib.compress(msgspec.msgpack.encode([{"record": more}]))])
    assert told.games[0].kept == StoredGame(record)


@pytest.mark.slow
def test_a_pack_that_never_ends(engine: Engine) -> None:
    (told,) = unpacked(engine, [zlib.compress(bytes(MAX_GAMES_BYTES + 1), 1)])
    assert told.error == "the records of a block cannot be read: they are too many to be true"
