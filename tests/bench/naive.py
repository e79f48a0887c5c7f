"""A harness as one writes it in an afternoon: one game at a time, one question after the other.

It plays by our rules, asks with the same views, and tells every bot what happens as it happens. It
has no clock, no faults and no records.
"""

import json
import subprocess
from typing import Any

from msgspec import to_builtins

from arena.bots.bot import Bot
from arena.games.base import Game
from arena.games.shuffle import SeededShuffle


class Program:
    """A running bot."""

    def __init__(self, bot: Bot) -> None:
        self.process = subprocess.Popen(
            bot.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=bot.folder,
            env=bot.environment(),
            text=True,
        )
        self.tell({"type": "hello", "protocol": 1})
        self.hear()

    def tell(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


class Naive:
    """The harness."""

    def __init__(self, game: Game[Any], bots: list[Bot]) -> None:
        self.game = game
        self.programs = [Program(bot) for bot in bots]
        self.asked = 0

    def play(self, seed: int) -> tuple[int, ...]:
        """A game to its end; its scores."""
        game = self.game
        for seat, program in enumerate(self.programs):
            program.tell(
                {"type": "start", "variant": game.variant, "seats": game.seats, "seat": seat}
            )
        state = game.start(SeededShuffle(seed))
        self.broadcast(None, [], state)
        while decisions := game.pending(state):
            choices = []
            for decision in decisions:
                self.asked += 1
                program = self.programs[decision.seat]
                program.tell(
                    {
                        "type": "decide",
                        "id": self.asked,
                        "kind": decision.kind,
                        "options": decision.options,
                        "view": to_builtins(game.view(state, decision.seat)),
                    }
                )
                answer = program.hear()
                if answer["choice"] not in decision.options:
                    raise ValueError(answer)
                choices.append(answer["choice"])
            before, state = state, game.apply(state, choices)
            self.broadcast(before, choices, state)
        return game.scores(state)

    def broadcast(self, before: Any, choices: list[str], after: Any) -> None:
        """Tell everybody what happened, as far as they see it."""
        for event in self.game.events(before, choices, after):
            told = {"type": "event", **to_builtins(event)}
            for seat, program in enumerate(self.programs):
                if event.is_visible_to(seat):
                    program.tell(told)

    def close(self) -> None:
        for program in self.programs:
            program.close()
