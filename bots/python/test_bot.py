"""The bot answers every question of recorded games: run it with `python3 -m unittest`."""

import json
import unittest
from pathlib import Path
from typing import Any

from bot import MyBot

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.jsonl"))


class Replay(unittest.TestCase):
    """What the referee said in recorded games is said again."""

    def test_transcripts(self) -> None:
        """Exactly the greeting and the questions are answered, and legally."""
        self.assertTrue(TRANSCRIPTS)
        for transcript in TRANSCRIPTS:
            bot = MyBot()
            for line in transcript.read_text().splitlines():
                entry = json.loads(line)
                if entry["to"] == "bot":
                    self.check(entry["message"], bot.hear(entry["message"]))

    def check(self, message: dict[str, Any], answer: str) -> None:
        """The right kind of answer, or none."""
        if message["type"] == "hello":
            self.assertEqual(json.loads(answer)["type"], "ready")
        elif message["type"] == "decide":
            said = json.loads(answer)
            self.assertEqual((said["type"], said["id"]), ("choose", message["id"]))
            self.assertIn(said["choice"], message["options"], message)
        else:
            self.assertEqual(answer, "")


if __name__ == "__main__":
    unittest.main()
