"""The interface of a game (start, pending, apply, view, scores), its rules, and its phases."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from arena.cards import Card
from arena.errors import IllegalChoice, UnknownSeat
from arena.games.events import Event

DESIGNATE: Final = "designate"
PLAY: Final = "play"
DELAYED: Final = "delayed"
TOKEN: Final = "token"
PICK: Final = "pick"
TASK: Final = "task"
DISCARD: Final = "discard"
OVER: Final = "over"
"""The phases of a round; all but the last are also kinds of decisions."""

MAX_LISTED_OPTIONS = 12
"""How many options an error lists."""

S = TypeVar("S")
T = TypeVar("T")


class Shuffle(Protocol):
    """The source of all randomness of a game."""

    def __call__(self, draw: int, items: Sequence[T], /) -> Sequence[T]:
        """The items in the order of this draw, whenever it is asked for."""


class Decision(Struct, frozen=True, gc=False):
    """A question put to a seat, with its legal answers in a fixed order."""

    seat: int
    kind: str
    options: tuple[str, ...]


class Sizes(Struct, frozen=True):
    """What is on the table: cards in all, in each hand, left over; tricks a round; rounds."""

    cards: int
    hand: int
    left_over: int
    tricks: int
    rounds: int | None
    """None: the game goes on until somebody has finished."""


class Bounds(Struct, frozen=True):
    """What the end of a whole game can be: lowest and highest values, the extremes included."""

    score: tuple[int, int]
    """The score of a seat."""
    total: tuple[int, int]
    """The scores of all seats together."""
    decisions: tuple[int, int]
    """How many decisions a seat makes."""

    def find_violation(self, scores: Sequence[int], decisions: Sequence[int]) -> str | None:
        """Return what is impossible about the end of a game; None if it may have happened."""
        for what, values, (low, high) in (
            ("score", scores, self.score),
            ("sum of scores", (sum(scores),), self.total),
            ("number of decisions", decisions, self.decisions),
        ):
            for value in values:
                if not low <= value <= high:
                    return f"a {what} of {value} is impossible, it is from {low} to {high}"
        return None


class Term(Struct, frozen=True):
    """Something with a name in a game, such as a kind of task, explained beside an axis."""

    axis: str
    name: str
    text: str
    value: int


@dataclass(frozen=True)
class Rules(ABC):
    """A rule set: a field for each axis, and on it a function whose docstring is the rule.

    Its first paragraph is the rule in one sentence; a paragraph that begins with "House ruling:"
    states what no printed rule settles.
    """

    @abstractmethod
    def game(self, variant: str, seats: int) -> "Game[Any]":
        """These rules at a table of this size."""

    def terms(self) -> Iterator[Term]:
        """The terms that need explaining beside the axes: by default none."""
        yield from ()

    def axes(self) -> Iterator[tuple[str, Callable[..., object]]]:
        """The axes and what stands on them, in the order they are explained."""
        for axis in fields(self):
            yield axis.name, getattr(self, axis.name)


class Game(ABC, Generic[S]):
    """A variant at a table of a certain size; it holds no state, only rules made ready."""

    scores_decide_ranks: bool = True
    """Whether the scores alone decide the ranks."""

    def __init__(self, variant: str, seats: int, cards: tuple[Card, ...]) -> None:
        self.variant = variant
        self.seats = seats
        self.cards = cards
        """All cards in play, in the order they are shuffled from."""
        self.clockwise_from = tuple(
            tuple((leader + place) % seats for place in range(seats)) for leader in range(seats)
        )
        """The seats clockwise from each seat on."""

    @property
    @abstractmethod
    def sizes(self) -> Sizes:
        """How many cards, tricks and rounds."""

    @abstractmethod
    def bounds(self) -> Bounds:
        """Bounds of the scores: none that the rules allow lies outside, though not all inside
        can be reached.
        """

    @abstractmethod
    def start(self, shuffle: Shuffle, first: int = 0) -> S:
        """The first state; `first` is the seat that stands for the youngest player."""

    @abstractmethod
    def pending(self, state: S) -> tuple[Decision, ...]:
        """All open decisions: several when they are simultaneous, none when the game is over."""

    @abstractmethod
    def apply(self, state: S, choices: Sequence[str]) -> S:
        """The state after these choices, one for each pending decision in its order.

        Anything else raises `IllegalChoice`; the state given is never changed.
        """

    @abstractmethod
    def view(self, state: S, seat: int) -> Struct:
        """What this seat may know, and nothing more."""

    @abstractmethod
    def scores(self, state: S) -> tuple[int, ...]:
        """The score of each seat so far."""

    @abstractmethod
    def ranking_keys(self, state: S) -> tuple[Any, ...]:
        """What the seats are ranked by, more is better."""

    def ranks(self, state: S) -> tuple[int, ...]:
        """The rank of each seat, 1 is best; equal seats share the better rank."""
        standing = self.ranking_keys(state)
        return tuple(1 + sum(other > own for other in standing) for own in standing)

    def unknown_seat(self, seat: int) -> UnknownSeat:
        """Return the error for a seat that does not exist."""
        return UnknownSeat(f"{self.variant}: a table of {self.seats} has no seat {seat}")

    @abstractmethod
    def rounds_played(self, state: S) -> int:
        """How many rounds are finished."""

    @abstractmethod
    def events(self, before: S | None, choices: Sequence[str], after: S) -> Iterator[Event]:
        """What happened at the table from one state to the next (before the first one: None)."""

    def validate_choice(self, decisions: Sequence[Decision], choices: Sequence[str]) -> str:
        """The option that the only choice is, for the only decision; anything else is refused."""
        try:
            (choice,) = choices
            options = decisions[0].options
            return options[options.index(choice)]
        except (IndexError, TypeError, ValueError):
            raise self.illegal_choice(decisions, choices) from None

    def validate_choices(self, decisions: Sequence[Decision], choices: Sequence[str]) -> list[str]:
        """The options that these choices are, one for each decision; anything else is refused."""
        if not decisions or isinstance(choices, str):
            raise self.illegal_choice(decisions, choices)
        try:
            return [d.options[d.options.index(c)] for d, c in zip(decisions, choices, strict=True)]
        except (TypeError, ValueError):
            raise self.illegal_choice(decisions, choices) from None

    def illegal_choice(
        self, decisions: Sequence[Decision], choices: Sequence[str]
    ) -> IllegalChoice:
        """Return the error for choices that are not allowed."""
        if not decisions:
            return IllegalChoice(f"{self.variant}: the game is over, nothing is left to choose")
        if not isinstance(choices, list | tuple) or len(choices) != len(decisions):
            due = "1 choice is" if len(decisions) == 1 else f"{len(decisions)} choices are"
            return IllegalChoice(f"{self.variant}: {due} due here in a list, not {choices!r}")
        for decision, choice in zip(decisions, choices, strict=True):
            if choice not in decision.options:
                break
        few = ", ".join(decision.options[:MAX_LISTED_OPTIONS])
        more = len(decision.options) - MAX_LISTED_OPTIONS
        return IllegalChoice(
            f"{self.variant}: seat {decision.seat} may not answer {choice!r} to "
            f"{decision.kind!r}; its options are {few}" + (f" and {more} more" if more > 0 else "")
        )
