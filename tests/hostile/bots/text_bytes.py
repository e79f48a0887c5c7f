"""Answers with bytes that are no text: zeros, broken UTF-8, other encodings."""

import attacker

attacker.play(
    answer=attacker.recite(
        b'{"type":"choose","id":@id,"choice":"@choice","note":"\xff\xfe"}',
        b'{"type":"choose","id":@id,"choice":"@choice\0"}',
        b"\0" * 1_000,
        b'{"type":"choose","id":@id,"choice":"@choice","note":"\xc0\xaf"}',
        b'{"type":"choose","id":@id,"choice":"@choice","note":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"type":"choose","id":@id,"choice":"@choice"}',
        b'{"type":"choose","id":@id,"choice":"@choice","note":"\x1b[2J"}',
        '{"type":"ready"}'.encode("utf-16"),
    ),
    harmless=True,
)
