"""Answers with numbers that are too large, too small, too exact, or none at all."""

import attacker

NUMBERS = (
    b"9" * 60_000,
    b"1e999",
    b"1e-999999999",
    b"-1",
    b"@id.0",
    b"NaN",
    b"18446744073709551616",
    b"true",
)

attacker.play(
    answer=attacker.recite(
        *(b'{"type":"choose","id":%b,"choice":"@choice"}' % number for number in NUMBERS)
    ),
    harmless=True,
)
