"""Answers with the same key twice, in case that two readers take two different ones."""

import attacker

MANY = b",".join(b'"k%d":0' % number for number in range(6_000))

attacker.play(
    answer=attacker.recite(
        b'{"type":"choose","id":@id,"id":@id,"choice":"@choice"}',
        b'{"type":"choose","id":@id,"choice":"@choice","choice":"Z99"}',
        b'{"type":"choose","type":"ready","id":@id,"choice":"@choice"}',
        b'{"type":"choose","id":@id,"choice":"Z99","\\u0063hoice":"@choice"}',
        b'{"type":"choose","id":@id,"choice":"@choice",%b}' % MANY,
        b'{"type":"choose","id":@id,"choice":"@choice","__class__":"os","__proto__":{"x":1}}',
        b'{"type":"choose"}',
    ),
    harmless=True,
)
