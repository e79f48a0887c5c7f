"""Writes its answers byte by byte, each with a pause, in case that a byte counts as a line."""

import json
import time

import attacker

slow = 3


def answer(question: attacker.Message) -> attacker.Message | None:
    global slow
    slow -= 1
    if slow < 0:
        return attacker.first_option(question)
    for byte in json.dumps(attacker.first_option(question)).encode() + b"\n":
        attacker.say(bytes([byte]))
        time.sleep(0.003)
    return None


attacker.play(answer=answer, harmless=True)
