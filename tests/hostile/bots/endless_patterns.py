"""Names the variants it plays by a pattern that takes minutes to compare, while everybody waits."""

import attacker

attacker.play(
    ready={"type": "ready", "games": 64, "variants": ["[" * 60_000, "*"]},
    harmless=True,
)
