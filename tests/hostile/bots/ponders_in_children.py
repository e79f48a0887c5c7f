"""Lets children compute after its answer, while it is the turn of others and it waits itself."""

import os

import attacker

ANSWERED = 3
count = 0


def answer(question: attacker.Message) -> None:
    global count
    count += 1
    attacker.say(attacker.first_option(question))
    if count == ANSWERED:
        each = attacker.too_much() / 4
        children = [attacker.away(attacker.burn, each, lifetime=60) for _ in range(4)]
        for child in children:
            os.waitpid(child, 0)


attacker.play(answer=answer)
