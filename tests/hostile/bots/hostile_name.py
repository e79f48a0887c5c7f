"""Gives itself a name that is a command for terminals, pages, tables and databases."""

import attacker

NAME = (
    "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>=cmd|' /C calc'!A0\r\n../../run.db\x00"
    "'; DROP TABLE bots; --\u202e" + "x" * 10_000
)

attacker.play(
    ready={
        "type": "ready",
        "name": NAME,
        "version": NAME,
        "games": 64,
        "variants": ["*"],
        "author": NAME,
        "path": "/etc/passwd",
    },
    harmless=True,
)
