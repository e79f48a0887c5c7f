"""A bot for transcripts: what it chooses follows from the seed it is given and from the question.

    recorded_bot.py GAMES [MISTAKE=ID ...]

It makes a mistake at the questions with these ids: `illegal`, `unasked`, `twice` or `exit`.
"""

import json
import sys
from zlib import crc32


def main() -> None:
    games = int(sys.argv[1])
    mistakes = {int(number): what for what, number in (word.split("=") for word in sys.argv[2:])}
    seeds = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "name": "recorded", "version": "1", "games": games})
        elif message["type"] == "start":
            seeds[message["game"]] = message["seed"]
        elif message["type"] == "decide":
            answer(message, seeds[message["game"]], mistakes.get(message["id"]))


def answer(question: dict, seed: int, mistake: str | None) -> None:  # type: ignore[type-arg] # JSON
    number, options, view = question["id"], question["options"], question["view"]
    place = f"{seed}/{view['phase']}/{view['round']}/{len(view['tricks'])}/{len(view['hand'])}"
    said = {
        "type": "choose",
        "id": number,
        "choice": options[crc32(place.encode()) % len(options)],
    }
    if len(options) == 1:
        said["note"] = "there is nothing else I could do"
    if mistake == "exit":
        sys.exit(3)
    if mistake == "illegal":
        said["choice"] = "a better card"
    if mistake == "unasked":
        said["id"] = number + 1_000_000
    say(said, times=2 if mistake == "twice" else 1)


def say(message: dict, times: int = 1) -> None:  # type: ignore[type-arg] # JSON
    sys.stdout.write(f"{json.dumps(message)}\n" * times)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
