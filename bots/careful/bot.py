"""A bot of rules of thumb: it looks at its hand and at the trick, and remembers no cards."""

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
    """One of the question's options, by the rules of thumb for its game."""
    options: list[str] = question["options"]
    if len(options) == 1 or question["kind"] not in KINDS:
        return options[0]
    if question["variant"] == "hat-trick":
        return hat_trick.choose(options, question["view"])
    if question["variant"] == "was-sticht":
        return was_sticht.choose(question["kind"], options, question["view"])
    return sticheln.choose(question["kind"], options, question["view"], question["variant"])


def answer(message: dict[str, Any]) -> str:
    """The line that answers a message, or nothing."""
    if message["type"] == "hello":
        return json.dumps({"type": "ready", "name": "careful", "games": 1000}) + "\n"
    if message["type"] == "decide":
        choice = choose(message)
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
