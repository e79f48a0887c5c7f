"""A bot that counts: it knows which cards are out and expects points from them."""

import json
import os
import sys
import time
from typing import Any

import hat_trick
import sticheln
import was_sticht

KINDS = {"designate", "play", "delayed", "token", "pick", "task", "discard"}
"""The decisions it knows; of any other kind it takes the first option."""
PATIENCE = 0.01
"""Seconds after which answers are sent, even if more questions lie ready."""


def choose(question: dict[str, Any]) -> str:
    """One of the question's options; `cards` are all cards of its game."""
    options: list[str] = question["options"]
    kind, view, variant = question["kind"], question["view"], question["variant"]
    if len(options) == 1 or kind not in KINDS:
        return options[0]
    if variant == "hat-trick":
        return hat_trick.choose(options, view, question["cards"])
    if variant == "was-sticht":
        return was_sticht.choose(kind, options, view)
    return sticheln.choose(kind, options, view, variant, question["cards"])


CARDS: dict[int, list[str]] = {}
"""All cards there are, for each game that is going on."""


def answer(message: dict[str, Any]) -> str:
    """The line that answers a message, or nothing."""
    match message["type"]:
        case "hello":
            return json.dumps({"type": "ready", "name": "counter", "games": 1000}) + "\n"
        case "start":
            CARDS[message["game"]] = message["cards"]
        case "result":
            CARDS.pop(message["game"], None)
        case "decide":
            choice = choose(message | {"cards": CARDS[message["game"]]})
            return json.dumps({"type": "choose", "id": message["id"], "choice": choice}) + "\n"
    return ""


def main() -> None:
    """Answer whatever lies ready in one write, until stdin ends."""
    rest = b""
    while batch := os.read(0, 1 << 16):
        *lines, rest = (rest + batch).split(b"\n")
        answers, begun = "", time.monotonic()
        for line in lines:
            answers += answer(json.loads(line))
            if time.monotonic() - begun > PATIENCE:
                sys.stdout.write(answers)
                sys.stdout.flush()
                answers, begun = "", time.monotonic()
        sys.stdout.write(answers)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
