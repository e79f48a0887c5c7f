"""Ask a bot the questions that one seat was asked in a recorded game, and compare the choices."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import PLAY, TOKEN, Bounds, Decision, Game, Shuffle, Sizes
from arena.games.catalog import variant
from arena.games.events import Event
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.live_game import Deal
from arena.referee.record import Record, replay_steps
from arena.referee.referee import Referee


class ReaskedChoice(Struct, frozen=True, omit_defaults=True):
    """What a bot chose where the record says what was chosen; rounds and tricks count from 0."""

    place: int
    """Which of the game's choices it is."""
    round: int | None
    """None before the first round."""
    trick: int | None
    """None for what is not part of a trick."""
    kind: str
    options: int
    """How many it could choose from."""
    recorded: str
    choice: str | None = None
    """What the bot chose; absent if it gave no valid answer."""
    fault: str | None = None
    """What was wrong with its answer."""
    note: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether the bot chose the same."""
        return self.choice == self.recorded


class ReaskedGame(Struct, frozen=True):
    """A recorded game as a bot would have played one of its seats, decision by decision."""

    variant: str
    seat: int
    bot: str
    agrees: int
    """In how many decisions the bot chose the same."""
    answers: tuple[ReaskedChoice, ...]
    """All decisions of that seat."""
    faults: tuple[Fault, ...]


class RecordedGame(Game[int]):
    """A recorded game in the form of one that can be played; a state is a place in the record."""

    def __init__(self, record: Record) -> None:
        self.game = variant(record.variant).game(record.seats)
        super().__init__(record.variant, record.seats, self.game.cards)
        self.steps = tuple(replay_steps(record))

    @property
    def sizes(self) -> Sizes:
        """Those of the recorded game."""
        return self.game.sizes

    def start(self, shuffle: Shuffle, first: int = 0) -> int:  # noqa: ARG002 (it is all recorded)
        """The first deal."""
        return 0

    def pending(self, state: int) -> tuple[Decision, ...]:
        """What was asked."""
        over = state + 1 == len(self.steps)
        return () if over else self.game.pending(self.steps[state].after)

    def apply(self, state: int, choices: Sequence[str]) -> int:  # noqa: ARG002 (it is all recorded)
        """Return the next recorded state, whatever was chosen now."""
        return state + 1

    def view(self, state: int, seat: int) -> Struct:
        """What the seat knew."""
        return self.game.view(self.steps[state].after, seat)

    def scores(self, state: int) -> tuple[int, ...]:
        """The score of each seat."""
        return self.game.scores(self.steps[state].after)

    def ranking_keys(self, state: int) -> tuple[Any, ...]:
        """What the seats were ranked by."""
        return self.game.ranking_keys(self.steps[state].after)

    def bounds(self) -> Bounds:
        """The bounds of the recorded game."""
        return self.game.bounds()

    def rounds_played(self, state: int) -> int:
        """How many rounds were finished."""
        return self.game.rounds_played(self.steps[state].after)

    def events(self, before: int | None, choices: Sequence[str], after: int) -> Iterator[Event]:  # noqa: ARG002 (it is all recorded)
        """What happened."""
        return self.steps[after].events()


def reask_seat(
    record: Record, seat: int, bot: Bot, config: RefereeConfig | None = None
) -> ReaskedGame:
    """Ask a bot the questions of one seat, and compare its choices with the recorded ones."""
    game = RecordedGame(record)
    if not 0 <= seat < game.seats:
        raise game.unknown_seat(seat)
    lenient_config = replace(config or RefereeConfig(), max_faults=len(record.choices) + 2)
    seats = [bot if place == seat else first_option for place in range(game.seats)]
    with Launcher(lenient_config.sandbox) as launcher:
        referee = Referee(game, seats, launcher, lenient_config)
        (played,) = referee.play([Deal(record.seed, record.first, record.turn)])
    answers = tuple(compare_choices(game, seat, played.record))
    return ReaskedGame(
        variant=record.variant,
        seat=seat,
        bot=bot.name,
        agrees=sum(answer.agrees for answer in answers),
        answers=answers,
        faults=played.record.faults,
    )


def first_option(decision: Decision, _view: object) -> str:
    """Choose for the other seats; their choices have no effect."""
    return decision.options[0]


def compare_choices(game: RecordedGame, seat: int, record: Record) -> Iterator[ReaskedChoice]:
    """Compare the recorded and the new choices of a seat, decision by decision."""
    faults = {fault.place: fault.text for fault in record.faults}
    place = 0
    for state, step in enumerate(game.steps[1:]):
        for decision, then in zip(game.pending(state), step.choices, strict=True):
            if decision.seat == seat:
                view: Any = game.view(state, seat)
                answered = record.wall[place] > 0 and place not in faults
                yield ReaskedChoice(
                    place=place,
                    round=None if decision.kind == TOKEN else view.round,
                    trick=len(view.tricks) if decision.kind == PLAY else None,
                    kind=decision.kind,
                    options=len(decision.options),
                    recorded=then,
                    choice=record.choices[place] if answered else None,
                    fault=faults.get(place),
                    note=record.notes.get(place),
                )
            place += 1
