"""Answers questions that are still to come, to have them behind it before its time runs."""

import json

import attacker


def answer(question: attacker.Message) -> bytes:
    own = attacker.first_option(question)
    early = [{**own, "id": own["id"] + ahead} for ahead in range(1_000, 1_003)]
    return b"".join(json.dumps(message).encode() + b"\n" for message in [*early, own])


attacker.play(answer=answer, harmless=True)
