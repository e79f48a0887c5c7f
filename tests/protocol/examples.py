"""Examples and transcripts of the protocol: `python -m tests.protocol.examples` rewrites them."""

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from tests.protocol.recording import Line, record_bot

PROTOCOL_FOLDER = Path(__file__).parent.parent.parent / "protocol"

Recording = Callable[[], list[Line]]
Message = dict[str, Any]

NAMED = RefereeConfig(anonymous=False)
NO_CLOCK = RefereeConfig(limits=None, games_at_once=1)
TIGHT = RefereeConfig(limits=Limits(start=5.0, move=0.25, bank=2.0, wall=10.0), games_at_once=16)

TRANSCRIPTS: dict[str, Recording] = {
    "sticheln/three-seats": partial(record_bot, "sticheln", 3, 1, [1]),
    "sticheln+aggravated+hazy/three-seats-named": partial(
        record_bot, "sticheln+aggravated+hazy", 3, 0, [1], terms=NAMED
    ),
    "stick-em/faults": partial(
        record_bot, "stick-em", 3, 2, [1], "1", "illegal=3", "unasked=5", "twice=7", terms=TIGHT
    ),
    "stick-em+delayed/three-seats-no-clock": partial(
        record_bot, "stick-em+delayed", 3, 1, [1], terms=NO_CLOCK
    ),
    "hat-trick/four-seats": partial(record_bot, "hat-trick", 4, 1, [1]),
    "was-sticht/three-seats": partial(record_bot, "was-sticht", 3, 1, [92]),
    "was-sticht/four-seats": partial(record_bot, "was-sticht", 4, 1, [63]),
}
"""Whole games that come out the same whenever they are recorded."""


def two_games() -> list[Line]:
    """Two games in one process; in which order their questions come is up to the moment."""
    return record_bot("stick-em", 3, 0, [1, 2], "2")


def taken_over() -> list[Line]:
    """What the second process hears after the first one ended and lost the other game."""
    lines = record_bot("stick-em", 3, 0, [1, 2], "2", "exit=40")
    hellos = [place for place, line in enumerate(lines) if line["message"]["type"] == "hello"]
    return lines[hellos[1] :]


NONDETERMINISTIC_TRANSCRIPTS: dict[str, Recording] = {
    "stick-em/two-games-at-once": two_games,
    "stick-em/taken-over": taken_over,
}
"""Conversations that differ a little from one recording to the next."""

EXTRA: dict[str, Recording] = {
    "seven": partial(record_bot, "sticheln", 7, 6, [1]),
    "pairs": partial(record_bot, "stick-em+aggravated+delayed", 3, 0, [2]),
}
"""Games of which only single messages are shown."""


@cache
def recording_of(name: str) -> list[Line]:
    """A recording, made once."""
    return {**TRANSCRIPTS, **EXTRA}[name]()


def first(name: str, kind: str, suits: Callable[[Message], object] = bool) -> Message:
    """The first message of a kind in a recording that suits."""
    messages: Iterator[Message] = (line["message"] for line in recording_of(name))
    return next(found for found in messages if found["type"] == kind and suits(found))


def decision(name: str, kind: str, suits: Callable[[Message], object] = bool) -> Message:
    """The first question of a kind in a recording whose view suits."""
    return first(name, "decide", lambda found: found["kind"] == kind and suits(found["view"]))


def examples() -> dict[str, Message]:
    """Every example by its name."""
    plain, hazy, delayed = (
        "sticheln/three-seats",
        "sticheln+aggravated+hazy/three-seats-named",
        "stick-em+delayed/three-seats-no-clock",
    )
    hat, faults = "hat-trick/four-seats", "stick-em/faults"
    three, four = "was-sticht/three-seats", "was-sticht/four-seats"
    return {
        "Hello/usual": first(plain, "hello"),
        "Hello/tight": first(faults, "hello"),
        "Hello/no-clock": first(delayed, "hello"),
        "Start/anonymous": first(plain, "start"),
        "Start/named": first(hazy, "start"),
        "Start/open-end": first(three, "start"),
        "Decide/designate": decision(plain, "designate"),
        "Decide/designate-pair": decision(hazy, "designate"),
        "Decide/designate-left-over": decision("seven", "designate"),
        "Decide/play-lead": decision(plain, "play", lambda v: v["leader"] == v["seat"]),
        "Decide/play-follow": decision(plain, "play", lambda v: v["trick"] and v["tricks"]),
        "Decide/play-hazy": decision(hazy, "play", lambda v: v["tricks"]),
        "Decide/previous-round": decision(hazy, "designate", lambda v: v.get("previous")),
        "Decide/delayed": decision(delayed, "delayed"),
        "Decide/delayed-pair": decision("pairs", "delayed"),
        "Decide/no-clock": decision(delayed, "play"),
        "Decide/hat-trick": decision(hat, "play", lambda v: len(v["tricks"]) > 1 and v["trick"]),
        "Decide/hat-trick-previous-round": decision(hat, "play", lambda v: v.get("previous")),
        "Decide/token": decision(three, "token", lambda v: any(v["tokens"])),
        "Decide/pick-trumps-hidden": decision(three, "pick", lambda v: v["trumps"] is None),
        "Decide/pick-as-dealer": decision(four, "pick", lambda v: v["trumps"] and v["picks"]),
        "Decide/pick-previous-round": decision(four, "pick", lambda v: v["previous"]),
        "Decide/task": decision(four, "task"),
        "Decide/play-was-sticht": decision(three, "play", lambda v: v["trick"] and v["tricks"]),
        "Decide/discard": decision(four, "discard"),
        "Result/three-seats": first(plain, "result"),
        "Result/at-fault": first(faults, "result"),
        "Result/was-sticht": first(four, "result"),
        "Fault/illegal": first(faults, "fault", lambda found: found["fault"] == "illegal"),
        "Fault/out-of-turn": first(faults, "fault", lambda found: found["fault"] == "out-of-turn"),
        "Fault/no-question-open": {
            "type": "fault",
            "game": 3,
            "id": None,
            "fault": "malformed",
            "text": "the line is empty",
        },
        "Ready/smallest": {"type": "ready"},
        "Ready/usual": first(plain, "ready"),
        "Ready/some-variants": {
            "type": "ready",
            "name": "Schneider",
            "version": "2.1",
            "games": 64,
            "variants": ["sticheln*", "stick-em*", "hat-trick"],
        },
        "Choose/card": first(plain, "choose"),
        "Choose/pair": first(hazy, "choose"),
        "Choose/colour": first(delayed, "choose", lambda found: len(found["choice"]) == 1),
        "Choose/task": first(three, "choose"),
        "Choose/note": first(plain, "choose", lambda found: "note" in found),
        "Choose/unknown-field": {"type": "choose", "id": 7, "choice": "R7", "nodes": 120_000},
    }


def format_message(message: Message) -> str:
    """A message for people to read: a field a line, and so in its view."""
    lines = []
    for key, value in message.items():
        text = json.dumps(value)
        if key == "view":
            inner = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            text = f"{{\n{inner}\n  }}"
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def format_transcript(lines: list[Line]) -> str:
    """A transcript as it stands in its file."""
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def main() -> None:
    for name, message in examples().items():
        file = PROTOCOL_FOLDER / "examples" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(format_message(message))
    made = {name: recording_of(name) for name in TRANSCRIPTS}
    made |= {name: recording() for name, recording in NONDETERMINISTIC_TRANSCRIPTS.items()}
    for name, lines in made.items():
        file = PROTOCOL_FOLDER / "transcripts" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(format_transcript(lines))


if __name__ == "__main__":
    main()
