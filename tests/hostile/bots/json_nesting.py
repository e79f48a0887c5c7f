"""Answers with brackets within brackets, to make a parser run out of stack."""

import attacker

attacker.play(
    answer=attacker.recite(
        b"[" * 60_000,
        b'{"a":' * 12_000,
        b'{"type":"choose","id":@id,"choice":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"type":"choose","id":@id,"choice":"@choice","note":' + b"[" * 17 + b"]" * 17 + b"}",
        b'["' * 20_000,
        b'"' + b"\\" * 60_000,
        b"{" * 60_000 + b"}" * 5_000,
    ),
    harmless=True,
)
