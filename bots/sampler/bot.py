"""Plays the options that a glance likes best on in worlds that agree with its view."""

import json
import sys
from functools import cache
from random import Random
from typing import Any, cast

import hat_trick
import numpy as np
import search
import sticheln
import was_sticht

from arena.errors import ArenaError
from arena.games.base import DELAYED, DESIGNATE, DISCARD, PICK, PLAY, TASK, TOKEN
from arena.games.catalog import variant
from arena.games.determinize import parse_view
from arena.games.hat_trick import HatTrickGame
from arena.games.sticheln_engine import StichelnGame
from arena.games.was_sticht.engine import WasStichtGame

KINDS = {DELAYED, DESIGNATE, DISCARD, PICK, PLAY, TASK, TOKEN}
UNLIMITED = 1.0
"""Seconds for a decision where no clock runs."""
SHARE = 0.02
"""The part of the time for a decision that the search is planned for."""
SLOW = 2
"""How much more Was sticht is given, which is played on one round after the other."""
ONCE = 2
"""How much more what is decided once in a round is worth."""
NET = 0.6
"""The part of it after which the search is broken off, which a usual machine never sees."""
TINY = 0.02
"""With fewer seconds than these for a decision nothing is searched."""


@cache
def policy(name: str, seats: int) -> search.Policy:
    """How a variant is played on at a table of this size."""
    game = variant(name).game(seats)
    if isinstance(game, StichelnGame):
        return sticheln.Policy(game)
    if isinstance(game, HatTrickGame):
        return hat_trick.Policy(game)
    return was_sticht.Policy(cast("WasStichtGame", game))


def choose(question: dict[str, Any], seed: int) -> str:
    """The best option, in worlds that come from this seed and from what lies on the table."""
    kind, view = question["kind"], question["view"]
    options: list[str] = question["options"]
    if len(options) == 1 or kind not in KINDS:
        return options[0]
    try:
        played = policy(question["variant"], len(view["scores"]))
    except ArenaError:  # a variant of a later arena
        return options[0]
    clock = question.get("clock")
    move = clock["move"] if clock else UNLIMITED
    planned = SHARE * move * (ONCE if kind in {DESIGNATE, TASK} else 1)
    planned *= SLOW if isinstance(played, was_sticht.Policy) else 1
    effort = search.Effort(planned if move >= TINY else 0.0, NET * move)
    seen = view["hand"], view["trick"], [trick["cards"] for trick in view["tricks"]]
    chance = Random(f"{seed} {view['round']} {kind} {seen}")
    asked = search.Question(kind, options, parse_view(played.game, view), view)
    return search.best(played, asked, np.random.default_rng(chance.getrandbits(64)), effort)


def main() -> None:
    """Answer hello and every question, until stdin ends."""
    seeds: dict[int, int] = {}
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any] = {}
        match message["type"]:
            case "hello":
                answer = {"type": "ready", "name": "sampler", "games": 64}
            case "start":
                seeds[message["game"]] = message["seed"]
            case "decide":
                choice = choose(message, seeds.get(message["game"], 0))
                answer = {"type": "choose", "id": message["id"], "choice": choice}
            case "result":
                seeds.pop(message["game"], None)
        if answer:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
