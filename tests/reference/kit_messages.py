"""Hand-written messages to a starter kit."""

import json
import subprocess

from arena.bots.bot import Bot

HELLO = {"type": "hello", "protocol": 1, "line": 65536, "games": 64, "limits": None}
VIEW = {
    "seat": 0,
    "phase": "play",
    "round": 0,
    "scores": [0, 0, 0],
    "hand": ["B10", "G2"],
    "leader": 1,
    "trick": ["B7", "R3"],
    "tricks": [],
}
TRICKS = [
    {"leader": 0, "cards": ["B8", "R1", "G2"], "winner": 0},
    {"leader": 0, "cards": ["R0", "R9", "R9"], "winner": 1},
    {"leader": 1, "cards": ["R9", "R9", "R9"], "winner": None},
]


def make_question(number: int, kind: str, variant: str, options: str) -> dict[str, object]:
    """Return a question with the fields that a kit reads."""
    return {
        "type": "decide",
        "game": 1,
        "id": number,
        "variant": variant,
        "kind": kind,
        "options": options.split(),
        "view": VIEW | {"tricks": TRICKS if kind == "delayed" else []},
        "clock": None,
    }


def run_kit(bot: Bot, *messages: object) -> subprocess.CompletedProcess[str]:
    """Send messages to a kit, close its stdin, and wait until it ends."""
    return subprocess.run(
        bot.argv,
        cwd=bot.folder,
        input="".join(f"{json.dumps(message)}\n" for message in messages),
        env=bot.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
