"""Games between real bots: every variant, many at once, and everything is written down."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.errors import BadBot, UnknownSeat
from arena.games.catalog import VARIANTS, variant
from arena.games.replay import Step, replay_game
from arena.referee.live_game import NOTES_DROPPED, Deal, LiveGame
from arena.referee.record import Record, verify_record
from arena.referee.referee import Referee
from tests.bots.leftover_processes import check_no_leftovers
from tests.referee.game_helpers import (
    CONFIG,
    Seats,
    choices_with_stand_ins,
    first_option,
    misbehaving_bot,
    play_games,
    shared_launcher,
)
from tests.suite.stages import soak_only

TALKER = """
import json, sys
print(json.dumps({"type": "ready", "games": 4}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print(message["seed"], message["seat"], sorted(message), file=sys.stderr, flush=True)
    if message["type"] == "decide":
        note = ("ä" * 1500)[: 500 * (message["id"] % 4)]
        options = message["options"]
        answer = {"type": "choose", "id": message["id"], "choice": options[len(options) // 2]}
        print(json.dumps(answer | ({"note": note} if note else {})), flush=True)
"""


SOME = {
    "sticheln",
    "sticheln+reverse+hazy",
    "sticheln+mild+aggravated+delayed",
    "stick-em",
    "stick-em+reverse+mild+aggravated+hazy",
    "hat-trick",
    "was-sticht",
}
"""Variants of every game, in which each modifier occurs."""


@pytest.fixture(scope="module", autouse=True)
def launcher() -> Iterator[None]:
    """One launcher for all tables."""
    with shared_launcher():
        yield


@pytest.fixture
def talker(tmp_path: Path) -> Bot:
    """A bot that remarks on its answers, and writes down what it is told."""
    script = tmp_path / "talker.py"
    script.write_text(TALKER)
    return load_bot(script)


class Overheard:
    """All that is said, by seat and direction."""

    def __init__(self) -> None:
        self.messages: list[tuple[int, str, dict[str, Any]]] = []
        self.parts: dict[tuple[int, str], bytes] = {}

    def __call__(self, seat: int, direction: str, lines: bytes) -> None:
        *whole, part = (self.parts.get((seat, direction), b"") + lines).split(b"\n")
        self.parts[seat, direction] = part
        self.messages += [(seat, direction, json.loads(line)) for line in whole]

    def of(self, kind: str, seat: int | None = None) -> list[dict[str, Any]]:
        """The messages of one type."""
        return [
            message
            for other, _, message in self.messages
            if message["type"] == kind and seat in {None, other}
        ]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name if name in SOME else soak_only(name) for name in VARIANTS])
def test_every_variant(name: str) -> None:
    seats = min(variant(name).seats)
    players: Seats = [misbehaving_bot("innocent"), *[first_option] * (seats - 1)]
    for game in play_games(players, 2, name=name):
        record = game.record
        assert record.faults == ()
        assert record.choices == choices_with_stand_ins(record, lambda _: False)
        asked = [bool(seat == 0) for seat in deciders_of(record)]
        assert [wall > 0 for wall in record.wall] == asked


def deciders_of(record: Record) -> list[int]:
    """The seat that made each choice."""
    steps = [step for step in replay_game(record) if step.before is not None]
    return [decision.seat for step in steps for decision in step.game.pending(step.before)]


def test_a_full_table_of_processes() -> None:
    for game in play_games(
        [misbehaving_bot("innocent")] * 8, 3, name="sticheln+delayed+aggravated"
    ):
        assert game.record.choices == choices_with_stand_ins(game.record, lambda _: False)
        assert all(game.record.wall)
        assert sum(game.record.cpu) > 0


def test_notes_are_kept_and_cut(talker: Bot) -> None:
    overheard = Overheard()
    played = play_games([first_option, talker, first_option], 3, tap=overheard)
    kept = sorted(note for game in played for note in game.record.notes.values())
    given = [answer["note"] for answer in overheard.of("choose") if "note" in answer]
    assert set(kept) <= {NOTES_DROPPED, *(note[:1000] for note in given)}
    assert {len(note) for note in kept if note != NOTES_DROPPED} == {500, 1000}
    for game in played:
        deciders = deciders_of(game.record)
        assert {deciders[place] for place in game.record.notes} == {1}


def test_stderr_belongs_to_its_game(talker: Bot) -> None:
    for game in play_games(
        [first_option, talker, first_option], 3, replace(CONFIG, games_at_once=1)
    ):
        assert len(game.stderr[1].splitlines()) == 1
        assert game.stderr[0] == game.stderr[2] == ""


@pytest.mark.slow
def test_seeds_of_bots_are_their_own(talker: Bot) -> None:
    def seeds(at_once: int) -> list[tuple[int, int]]:
        overheard = Overheard()
        play_games(
            [talker, talker, first_option], 3, replace(CONFIG, games_at_once=at_once), overheard
        )
        return sorted((start["seat"], start["seed"]) for start in overheard.of("start"))

    found = seeds(1)
    assert found == seeds(4)
    assert len({seed for _, seed in found}) == 6
    assert not {seed for _, seed in found} & {0, 1, 2}


def test_bots_are_anonymous_by_default(talker: Bot) -> None:
    overheard = Overheard()
    play_games([talker, misbehaving_bot("innocent"), first_option], 1, CONFIG, overheard)
    assert all("bots" not in start for start in overheard.of("start"))
    overheard = Overheard()
    play_games(
        [talker, misbehaving_bot("innocent"), first_option],
        1,
        replace(CONFIG, anonymous=False),
        overheard,
    )
    named = [start["bots"] for start in overheard.of("start")]
    assert named == [["talker", "innocent", "house"]] * 2


def test_messages_to_a_bot() -> None:
    overheard = Overheard()
    played = play_games(
        [misbehaving_bot("innocent"), first_option, first_option],
        2,
        replace(CONFIG, games_at_once=1),
        overheard,
    )
    said = [message for seat, way, message in overheard.messages if (seat, way) == (0, ">")]
    kinds = [message["type"] for message in said]
    assert kinds == ["hello", *(["start", *["decide"] * 75, "result"] * 2)]
    assert said[0]["games"] == 1
    assert said[0]["limits"] == {"start": 1.0, "move": 0.3, "bank": 0.0, "wall": 10.0}
    for result, game in zip(overheard.of("result"), played, strict=True):
        assert tuple(result["scores"]) == game.record.scores
        assert tuple(result["ranks"]) == game.record.ranks
    ids = [question["id"] for question in overheard.of("decide")]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", ["sticheln", "sticheln+delayed", "was-sticht"])
def test_simultaneous_questions_go_out_together(name: str) -> None:
    """All are asked before any answer is read."""
    overheard = Overheard()
    play_games([misbehaving_bot("innocent")] * 3, 1, CONFIG, overheard, name=name)
    kind = {"sticheln": "designate", "sticheln+delayed": "delayed", "was-sticht": "task"}[name]
    talk = [
        (message["type"], seat)
        for seat, _, message in overheard.messages
        if message["type"] == "choose" or message.get("kind") == kind
    ]
    runs = [0]
    for sort, _ in talk:
        if sort == "decide":
            runs[-1] += 1
        elif runs[-1]:
            runs.append(0)
    runs = [length for length in runs if length]
    assert runs
    assert set(runs) <= ({2} if name == "was-sticht" else {2, 3})
    assert runs.count(3) >= (1 if name == "sticheln+delayed" else 5 if name == "sticheln" else 0)


def test_the_same_games_in_any_order(talker: Bot) -> None:
    """What is chosen does not depend on how many games are played at once."""
    found = [
        [
            game.record.choices
            for game in play_games(
                [talker, talker, first_option], 6, replace(CONFIG, games_at_once=n)
            )
        ]
        for n in (1, 3, 4)
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_the_smallest_games_limit_applies(talker: Bot) -> None:
    """One says 4, one is held to 3 by its manifest, one can hold any number."""
    overheard = Overheard()
    seats: Seats = [
        talker,
        replace(misbehaving_bot("innocent"), games=3),
        misbehaving_bot("innocent"),
    ]
    play_games(seats, 10, CONFIG, overheard)
    for seat in range(3):
        held = most = 0
        for other, _, message in overheard.messages:
            if other == seat:
                held += {"start": 1, "result": -1}.get(message["type"], 0)
                most = max(most, held)
        assert most == 3


def test_never_more_games_than_the_terms_say() -> None:
    overheard = Overheard()
    play_games(
        [misbehaving_bot("innocent"), first_option, first_option],
        9,
        replace(CONFIG, games_at_once=5),
        overheard,
    )
    open_games = Counter(question["game"] for question in overheard.of("decide")[:5])
    assert len(open_games) == 5


def test_every_play_has_fresh_processes() -> None:
    """And a referee plays once: it would go on where it was left."""
    overheard = Overheard()
    with check_no_leftovers(), Launcher() as launcher:
        game = variant("sticheln").game(3)
        seats: Seats = [misbehaving_bot("innocent"), first_option, first_option]
        first = Referee(game, seats, launcher, CONFIG, on_traffic=overheard)
        once = list(first.play([Deal(1)]))
        pids = set(launcher.exits)
        again = list(Referee(game, seats, launcher, CONFIG, on_traffic=overheard).play([Deal(1)]))
        assert len(set(launcher.exits) - pids) == len(pids) == 1
        with pytest.raises(RuntimeError, match="plays once"):
            next(first.play([Deal(1)]))
    assert once[0].record.choices == again[0].record.choices
    assert len(overheard.of("hello")) == 2


def test_the_first_seat() -> None:
    with check_no_leftovers(), Launcher() as launcher:
        game = variant("was-sticht").game(4)
        referee = Referee(
            game,
            [misbehaving_bot("innocent"), first_option, first_option, first_option],
            launcher,
            CONFIG,
        )
        played = list(referee.play(Deal(5, first) for first in range(4)))
    for one in played:
        verify_record(one.record)
        assert deciders_of(one.record)[0] == one.record.first
    assert {one.record.first for one in played} == {0, 1, 2, 3}


def test_an_unknown_seat() -> None:
    with check_no_leftovers(), Launcher() as launcher:
        game = variant("sticheln").game(3)
        referee = Referee(
            game, [misbehaving_bot("innocent"), first_option, first_option], launcher, CONFIG
        )
        with pytest.raises(UnknownSeat):
            list(referee.play([Deal(1), Deal(1, first=3)]))


def test_a_bot_that_cannot_be_started(tmp_path: Path) -> None:
    """One sentence, and the others are ended."""
    missing = Bot("gone", "1", ("/no/such/bot",), tmp_path)
    with pytest.raises(BadBot, match="/no/such/bot cannot be started"):
        play_games([misbehaving_bot("innocent"), missing, first_option])


def test_no_games_at_all() -> None:
    assert play_games([misbehaving_bot("leaves_children"), first_option, first_option], 0) == []


def test_only_the_house() -> None:
    for game in play_games([first_option, first_option, first_option], 5):
        assert set(game.record.wall) == {0}


def test_no_clock_runs() -> None:
    overheard = Overheard()
    play_games(
        [misbehaving_bot("burns_in_a_child"), first_option, first_option],
        0,
        replace(CONFIG, limits=None),
    )
    play_games(
        [misbehaving_bot("innocent"), first_option, first_option],
        1,
        replace(CONFIG, limits=None),
        overheard,
    )
    assert overheard.of("hello")[0]["limits"] is None
    assert {question["clock"] for question in overheard.of("decide")} == {None}


def test_watching() -> None:
    """Every step is seen as it is made, from the deal to the end."""
    steps: dict[int, list[Step]] = {}

    def watch(table: LiveGame, step: Step) -> None:
        steps.setdefault(table.deal.seed, []).append(step)

    with check_no_leftovers(), Launcher() as launcher:
        game = variant("sticheln+hazy").game(3)
        seats: Seats = [misbehaving_bot("innocent"), misbehaving_bot("innocent"), first_option]
        played = list(
            Referee(game, seats, launcher, CONFIG, on_step=watch).play(map(Deal, range(4)))
        )
    for one in played:
        again = list(replay_game(one.record))
        seen = steps[one.record.seed]
        assert [step.after for step in seen] == [step.after for step in again]
        assert [step.choices for step in seen] == [step.choices for step in again]


DELETES_ITSELF = """
import json, os, sys
print('{"type":"ready"}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide" and message["id"] == 3:
        os.unlink(sys.argv[0])
        raise SystemExit(1)
    if message["type"] == "decide":
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
"""


def test_a_bot_that_cannot_be_started_again(tmp_path: Path) -> None:
    """It is its own fault, and costs nobody else a game."""
    program = tmp_path / "bot"
    program.write_text(f"#!{sys.executable}\n{DELETES_ITSELF}")
    program.chmod(0o755)
    vanishing = Bot("vanishing", "1", (str(program),), tmp_path)
    played = play_games([vanishing, misbehaving_bot("innocent"), first_option], deals=4)
    assert [game.record.faults[0].fault for game in played] == ["exited", "start", "start", "start"]
    assert "cannot be started" in played[1].record.faults[0].text


def test_games_without_bots_are_yielded_one_by_one() -> None:
    with Launcher() as launcher:
        referee = Referee(variant("sticheln").game(3), [first_option] * 3, launcher)
        playing = referee.play(Deal(seed) for seed in count())
        assert [next(playing).record.seed for _ in range(200)] == list(range(200))
        playing.close()


def test_as_many_bots_as_seats() -> None:
    with Launcher() as launcher, pytest.raises(ValueError, match="2 bots for 3 seats"):
        Referee(variant("sticheln").game(3), [first_option] * 2, launcher)


@pytest.mark.parametrize("wrong", [{"games_at_once": 0}, {"max_faults": 0}])
def test_invalid_configs(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        replace(CONFIG, **wrong)  # type: ignore[arg-type] # which is what is tried
