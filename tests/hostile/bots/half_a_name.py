"""Gives itself a name that cannot be written down, because half a character is in it."""

import attacker

attacker.play(ready=b'{"type":"ready","name":"\\ud800","games":64}\n', harmless=True)
