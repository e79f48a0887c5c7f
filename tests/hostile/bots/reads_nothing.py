"""Is ready for a million games and never reads a question, so that they pile up."""

import time

import attacker

attacker.say({"type": "ready", "games": 1_000_000})
time.sleep(60)
