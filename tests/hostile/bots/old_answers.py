"""Gives old answers again and again, a megabyte of them between two that it is asked for."""

import attacker

OLD = b'{"type":"choose","id":1,"choice":""}\n'
MANY = 20_000
FEW = 50


def attack() -> None:
    question = attacker.heard["decide"]
    if question["id"] == 1:  # it has to be settled before it is old
        attacker.say(attacker.first_option(question))
    attacker.say(OLD * MANY)


def answer(question: attacker.Message) -> None:
    attacker.say(attacker.first_option(question))
    attacker.say(OLD * FEW)


attacker.play(attack, answer=answer, harmless=True)
