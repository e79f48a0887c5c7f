"""Answers with half characters, which are read without a word and cannot be written down."""

import attacker

attacker.play(
    answer=attacker.recite(
        b'{"type":"choose","id":@id,"choice":"@choice","note":"\\ud800"}',
        b'{"type":"choose","id":@id,"choice":"\\udfff"}',
        b'{"type":"choose","id":@id,"choice":"@choice","\\ud83d":1}',
        b'{"type":"choose","id":@id,"choice":"@choice","more":[{"deep":"\\ude00\\ud83d"}]}',
    ),
    harmless=True,
)
