"""Every message of protocol 1, in both directions between referee and bot."""

from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

PROTOCOL_VERSION: Final = 1

MAX_LINE_BYTES: Final = 65_536
"""Bytes of a line from a bot, its newline included."""

MAX_GAMES: Final = 1_000_000
"""More games than this nobody holds at once."""

MAX_PATTERNS: Final = 100
"""Names or patterns of variants that a bot may say it plays."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number that every language's JSON keeps."""

Number = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]
Pattern = Annotated[str, Meta(max_length=200)]
Seat = Annotated[int, Meta(ge=0, le=7)]
Seconds = Annotated[float, Meta(ge=0)]

FaultKind = Literal[
    "start", "timeout", "exited", "malformed", "too-long", "illegal", "out-of-turn", "memory"
]


class Message(Struct, frozen=True, tag_field="type", gc=False):
    """One JSON object on one line; `type` says which message it is."""


class Limits(Struct, frozen=True):
    """The time a bot has, in seconds.

    `start`, `move` and `bank` are CPU time of the whole process tree; `wall` is real time.
    """

    start: Seconds = 10.0
    """From the launch to `ready`."""
    move: Seconds = 1.0
    """For each decision."""
    bank: Seconds = 5.0
    """For each game: it pays for what goes over `move`."""
    wall: Seconds = 30.0
    """However little CPU time it takes, no answer takes longer, and no start if that has less."""


class Clock(Struct, frozen=True, gc=False):
    """The CPU time there is for one decision, in seconds."""

    move: Seconds
    """For this decision alone."""
    bank: Seconds
    """What is left for this game beyond `move`."""


class Hello(Message, frozen=True, tag="hello", gc=False):
    """The referee's first line to a process that has just started."""

    protocol: Annotated[int, Meta(ge=1)]
    """The version of the protocol spoken; this is 1."""
    line: Annotated[int, Meta(ge=1)]
    """The longest line a bot may send, in bytes, its newline included."""
    games: Annotated[int, Meta(ge=1)]
    """The most games a bot will be asked about at once, whatever it offers."""
    limits: Limits | None
    """The time a bot has; null: no clock runs."""


class Start(Message, frozen=True, tag="start", omit_defaults=True, gc=False):
    """A game begins, or begins again for a process that takes over from one that ended."""

    game: Number
    """Stands for this game in all messages to this process."""
    variant: str
    """The rules played, such as `sticheln+mild`."""
    seats: Annotated[int, Meta(ge=3, le=8)]
    """How many sit at the table."""
    seat: Seat
    """Where the bot sits; seats are numbered clockwise from 0."""
    rounds: Annotated[int, Meta(ge=1)] | None
    """How many rounds are played; null: until somebody has finished."""
    cards: tuple[str, ...]
    """All cards there are in this game."""
    seed: Number
    """For the bot's own chance, if it wants its games repeatable; tells nothing about the deal."""
    bots: tuple[str, ...] | None = None
    """Who sits where; absent where the opponents are anonymous."""


class Decide(Message, frozen=True, tag="decide", gc=False):
    """A question, with everything the seat may know."""

    game: Number
    """The game it is about."""
    id: Number
    """To be echoed in the answer."""
    variant: str
    """The rules played, as in `start`."""
    kind: str
    """What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`, `task`, `discard`."""
    options: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The legal choices."""
    view: Any
    """What the seat may know: one of the views of `arena.games`, as its variant has it."""
    clock: Clock | None
    """The time there is; null: no clock runs."""


class Result(Message, frozen=True, tag="result", gc=False):
    """A game is over."""

    game: Number
    """The game it is about."""
    scores: tuple[int, ...]
    """The score of each seat."""
    ranks: tuple[Annotated[int, Meta(ge=1)], ...]
    """The rank of each seat, 1 is best; who is at fault ranks below all others."""


class FaultMessage(Message, frozen=True, tag="fault", gc=False):
    """The bot broke the protocol; the referee has chosen for it where a choice was due."""

    game: Number | None
    """The game it counts in; null: none that is going on."""
    id: Number | None
    """The question that is settled by it; null: none was open."""
    fault: FaultKind
    """What it is called."""
    text: str
    """What was wrong, for a person to read."""


class Ready(Message, frozen=True, tag="ready", omit_defaults=True, gc=False):
    """A bot's first line: it can play."""

    name: str = ""
    """What the bot calls itself."""
    version: str = ""
    """Which one of its kind it is."""
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES)] = 1
    """How many games it can hold at once."""
    variants: Annotated[tuple[Pattern, ...], Meta(max_length=MAX_PATTERNS)] | None = None
    """The variants it plays, as names or patterns such as `sticheln*`; absent: all."""

    def plays(self, variant: str) -> bool:
        """Whether the bot says that it plays this variant."""
        patterns = self.variants
        return patterns is None or any(fnmatchcase(variant, pattern) for pattern in patterns)


class Choose(Message, frozen=True, tag="choose", omit_defaults=True, gc=False):
    """A bot's answer."""

    id: Number
    """The question it answers."""
    choice: str
    """One of its options."""
    note: str | None = None
    """Something to find in the replay beside this decision; 1,000 characters are kept."""


ToBot = Hello | Start | Decide | Result | FaultMessage
FromBot = Ready | Choose
