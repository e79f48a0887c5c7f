"""Answers with texts that are as long as a line may be, as choice, as key and as type."""

import attacker

LONG = b"x" * 60_000

attacker.play(
    answer=attacker.recite(
        b'{"type":"choose","id":@id,"choice":"' + LONG + b'"}',
        b'{"type":"' + LONG + b'","id":@id,"choice":"@choice"}',
        b'{"type":"choose","id":@id,"choice":"@choice","' + LONG + b'":0}',
        b'{"type":"choose","id":@id,"choice":"@choice","note":"' + LONG + b'"}',
        b'{"type":"choose","id":@id,"choice":"' + b"\\u0041" * 10_000 + b'"}',
        b'{"type":"choose","id":@id,"choice":["@choice"]}',
        b'{"type":"choose","id":@id,"choice":null}',
    ),
    harmless=True,
)
