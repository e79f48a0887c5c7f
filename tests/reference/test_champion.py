"""The champion's core plays by the rules of `arena.games`, and its answers can be repeated."""

import ctypes
import importlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from arena.bots.bot import Bot
from arena.games.catalog import VARIANTS, variant
from arena.games.replay import Step, play_game, replay_game
from tests.reference.conftest import FindBot

TABLES = [
    (name, entry.seats[at % len(entry.seats)])
    for at, (name, entry) in enumerate(VARIANTS.items())
    if name != "was-sticht"
]
ASKED = [
    ("sticheln", 4),
    ("sticheln+reverse+aggravated+hazy", 3),
    ("sticheln+mild+delayed", 8),
    ("hat-trick", 7),
    ("stick-em+aggravated", 6),
    ("was-sticht", 3),
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bot(find_bot: FindBot) -> Bot:
    """The bot, built."""
    return find_bot("champion")


@pytest.fixture(scope="module")
def tricks(bot: Bot) -> Iterator[Any]:
    """Its part for games of tricks."""
    names = [file.stem for file in bot.folder.glob("*.py")]
    sys.path.insert(0, str(bot.folder))
    yield importlib.import_module("tricks")
    sys.path.remove(str(bot.folder))
    for name in names:
        sys.modules.pop(name, None)


def steps(name: str, seats: int, seed: int = 1) -> Iterator[Step]:
    """A game by chance."""
    chance = random.Random(seed)
    game = variant(name).game(seats)
    yield from replay_game(
        play_game(game, seed, lambda _, open_: [chance.choice(each.options) for each in open_])
    )


def start_of(name: str, seats: int, seat: int) -> dict[str, Any]:
    """How a game begins for a seat."""
    cards = list(variant(name).game(seats).cards)
    return {
        "type": "start",
        "variant": name,
        "seats": seats,
        "seat": seat,
        "cards": cards,
        "seed": 7,
    }


def mask(tricks: Any, start: dict[str, Any], special: tuple[str, ...]) -> int:
    """Special colours as the core has them."""
    return sum(1 << tricks.numbered(tricks.colours_of(start))[colour] for colour in special)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_the_core_plays_by_the_rules(tricks: Any, name: str, seats: int) -> None:
    start = start_of(name, seats, 0)
    for step in steps(name, seats):
        past, before = step.after.round.past, step.before
        if past is None or before is None or before.round.number == step.after.round.number:
            continue
        special = [mask(tricks, start, own) for own in past.special or ((),) * seats]
        done = msgspec.to_builtins(past.tricks)
        for length in range(1, len(done) + 1):
            view = {
                "seat": 0,
                "hand": [],
                "leader": 0,
                "trick": [],
                "tricks": done[:length],
                "designated": past.designated or None,
            }
            question = {"kind": "play", "options": [], "view": view}
            words = (ctypes.c_int * 1000)(*tricks.words(start, question))
            points = (ctypes.c_int * seats)()
            leader = tricks.core.LIBRARY.tricks_points(
                words, (ctypes.c_int * seats)(*special), points
            )
            if length < len(done):
                assert leader == done[length]["leader"]
        assert tuple(points) == past.points


def conversation(name: str, seats: int, move: float, first_id: int) -> list[dict[str, Any]]:
    """Some questions of a game, to the seats in turn, each of which is a game of its own."""
    game = variant(name).game(seats)
    messages = [start_of(name, seats, seat) | {"game": first_id + seat} for seat in range(seats)]
    number = first_id
    for step in steps(name, seats):
        for decision in game.pending(step.after):
            number += 1
            if number % 7:
                continue
            messages.append(
                {
                    "type": "decide",
                    "game": first_id + decision.seat,
                    "id": number,
                    "variant": name,
                    "kind": decision.kind,
                    "options": decision.options,
                    "view": msgspec.to_builtins(game.view(step.after, decision.seat)),
                    "clock": {"move": move, "bank": 0.0},
                }
            )
    return messages


def choices(bot: Bot, messages: list[dict[str, Any]]) -> list[str]:
    """What a new process answers."""
    hello = {"type": "hello", "protocol": 1, "line": 65536, "games": 64, "limits": None}
    output = "".join(json.dumps(message) + "\n" for message in [hello, *messages])
    done = subprocess.run(
        bot.argv, cwd=bot.folder, input=output, capture_output=True, text=True, check=True
    )
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready["type"] == "ready"
    asked = [message for message in messages if message["type"] == "decide"]
    assert [answer["id"] for answer in answers] == [question["id"] for question in asked]
    for answer, question in zip(answers, asked, strict=True):
        assert answer["choice"] in question["options"]
    return [answer["choice"] for answer in answers]


@pytest.mark.parametrize(("name", "seats"), ASKED)
def test_the_same_seed_gives_the_same_choices(bot: Bot, name: str, seats: int) -> None:
    once = choices(bot, conversation(name, seats, 0.02, 0))
    again = choices(bot, conversation(name, seats, 0.02, 7_000))
    assert once == again
    assert len(set(once)) > 1


@pytest.mark.parametrize(("name", "seats"), ASKED)
def test_a_thousandth_of_a_second_is_enough(bot: Bot, name: str, seats: int) -> None:
    assert choices(bot, conversation(name, seats, 0.001, 0))


def test_the_delayed_designation_scores_most(tricks: Any) -> None:
    name, seats = "sticheln+delayed", 3
    game: Any = variant(name).game(seats)
    for step in steps(name, seats):
        for decision in game.pending(step.after):
            if decision.kind != "delayed":
                continue
            view = msgspec.to_builtins(game.view(step.after, decision.seat))
            question = {"kind": "delayed", "options": decision.options, "view": view}
            choice, _ = tricks.choose(start_of(name, seats, decision.seat), question, 1.0)
            won = game.cards_won(step.after.tricks)[decision.seat]
            totals = {
                option: sum(game.card_points[option,][card] for card in won)
                for option in decision.options
            }
            assert totals[choice] == max(totals.values())
