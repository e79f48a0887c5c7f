"""Sleeps a little before its answers, within its rights, to make the game last."""

import time

import attacker

slow = 20


def answer(question: attacker.Message) -> attacker.Message:
    global slow
    slow -= 1
    if slow >= 0:
        time.sleep(0.04)
    return attacker.first_option(question)


attacker.play(answer=answer, harmless=True)
