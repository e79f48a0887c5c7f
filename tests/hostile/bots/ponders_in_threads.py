"""Lets threads compute after its answer, while it is the turn of others."""

import hashlib
import threading
import time

import attacker

ANSWERED = 3
count = 0


def work(until: float) -> None:
    block = bytes(attacker.MIB)
    while time.process_time() < until:
        hashlib.sha256(block)  # Python lets others compute meanwhile


def answer(question: attacker.Message) -> None:
    global count
    count += 1
    attacker.say(attacker.first_option(question))
    if count == ANSWERED:
        until = time.process_time() + attacker.too_much()
        threads = [threading.Thread(target=work, args=(until,), daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


attacker.play(answer=answer, harmless=True)
