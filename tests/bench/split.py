"""Where the referee's time goes: its parts, timed by themselves on the states of whole games."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rich.console import Console

from arena.games.base import Decision
from arena.games.catalog import variant
from arena.games.replay import Step, play_steps
from arena.protocol.codec import decode_answers, encode_lines
from arena.protocol.messages import Choose, Clock, Decide
from tests.bench.cost import least
from tests.bench.sheet import sheet

GAMES = 8
TOGETHER = 16
"""Questions in one write, and answers in one read: 64 games are spread over four bots."""

REPEATS = 12


class Part(NamedTuple):
    """A part of the work, and the microseconds it takes for a decision."""

    name: str
    cost: float


def timed(work: Callable[[], object], decisions: int) -> float:
    """Microseconds for a decision, in the best repeats."""
    found = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return least(found) / decisions * 1e6


def parts() -> Iterator[Part]:
    """Every part that can be timed by itself."""
    game = variant("sticheln").game(4)

    def first(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        return [decision.options[0] for decision in decisions]

    every = [list(play_steps(game, seed, first))[1:] for seed in range(GAMES)]
    made = [step for game_steps in every for step in game_steps]
    asked = [(step, decision) for step in made for decision in game.pending(step.before)]
    count = len(asked)

    def rules() -> None:
        for step in made:
            game.pending(game.apply(step.before, step.choices))

    def views() -> None:
        for step, decision in asked:
            game.view(step.before, decision.seat)

    clock = Clock(1.0, 5.0)

    def question(number: int, step: Step, decision: Decision) -> Decide:
        view: Any = game.view(step.before, decision.seat)
        return Decide(1, number, game.variant, decision.kind, decision.options, view, clock)

    questions = [question(number, *one) for number, one in enumerate(asked)]
    batches = [questions[at : at + TOGETHER] for at in range(0, count, TOGETHER)]
    answers = [
        encode_lines([Choose(question.id, question.options[0]) for question in batch])
        for batch in batches
    ]

    def encode() -> None:
        for batch in batches:
            encode_lines(batch)

    def decode() -> None:
        for lines in answers:
            decode_answers(lines)

    size = sum(len(encode_lines(batch)) for batch in batches) / count
    yield Part("rules: apply, pending", timed(rules, count))
    yield Part("view", timed(views, count))
    yield Part(f"encode the question, {size:.0f} bytes", timed(encode, count))
    yield Part("decode the answer", timed(decode, count))


def show(console: Console, whole: float) -> None:
    """Print the parts, and what is left of the whole."""
    found = [*parts()]
    left = whole - sum(part.cost for part in found)
    rest = Part("the rest: pipes, clock, bookkeeping", left)
    table = sheet("the referee's time: C bots, 64 at once", "µs a decision", "share")
    for part in (*found, rest, Part("all", whole)):
        table.add_row(part.name, f"{part.cost:.2f}", f"{part.cost / whole:.0%}")
    console.print(table)
    console.print()
