"""Answers the referee: many games at once, each question by the part that knows its game."""

import gc
import json
import sys
from typing import Any

import draft
import tricks

GAMES = 64
KINDS = {*tricks.KINDS, *draft.KINDS}
NO_CLOCK = 1.0
"""Seconds that a decision is thought to have where no clock runs."""


def answer(start: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    """The choice, and a word about it."""
    options = question["options"]
    if len(options) == 1 or question["kind"] not in KINDS:
        return {"type": "choose", "id": question["id"], "choice": options[0]}
    clock = question["clock"]
    seconds = clock["move"] if clock else NO_CLOCK
    part = draft if start["variant"] == "was-sticht" else tricks
    choice, note = part.choose(start, question, seconds)
    return {"type": "choose", "id": question["id"], "choice": choice, "note": note}


def say(message: dict[str, Any]) -> None:
    """One line to the referee."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Until there is no more to read."""
    gc.freeze()
    gc.disable()
    starts: dict[int, dict[str, Any]] = {}
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say({"type": "ready", "name": "champion", "version": "1", "games": GAMES})
            case "start":
                starts[message["game"]] = message
            case "decide":
                say(answer(starts[message["game"]], message))
            case "result":
                starts.pop(message["game"], None)
                if not starts:
                    gc.collect()


if __name__ == "__main__":
    main()
