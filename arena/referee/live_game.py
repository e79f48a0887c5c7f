"""A game in progress: its state, its missing choices, and what its record will hold."""

from collections.abc import Sequence
from hashlib import shake_128
from typing import Any

from msgspec import Struct

from arena.bots.process import CapturedStderr
from arena.games.base import Decision, Game
from arena.games.shuffle import SeededShuffle
from arena.protocol.messages import MAX_SAFE_INTEGER
from arena.referee.faults import Fault
from arena.referee.record import Record, SeatedBot, rank_seats

MAX_NOTE_LENGTH = 1_000
"""Characters of a note that are kept."""

MAX_NOTES_BYTES = 16 * 1024
"""Bytes of notes that are kept of a seat in a game."""

NOTES_DROPPED = f"[this seat has written {MAX_NOTES_BYTES >> 10} KiB of notes; the rest is dropped]"
"""Replaces the first note that is dropped."""


class Deal(Struct, frozen=True):
    """Everything that chance decides in a game."""

    seed: int
    first: int = 0
    turn: int = 0
    """How often the same deal was played before in other seatings; it changes no card."""


def bot_seed(deal: Deal, seat: int) -> int:
    """Return the seed for a bot's own random numbers; it does not reveal the seed of the deal.

    It depends on the turn, so that it does not tell a bot that it has met a deal before.
    """
    turn = b"/%d" % deal.turn if deal.turn else b""
    digest = shake_128(b"stichkampf-bot-1/%d/%d" % (deal.seed, seat) + turn).digest(8)
    return int.from_bytes(digest) & MAX_SAFE_INTEGER


Seating = Sequence[int]
"""For each seat, which bot of the table sits there."""


class LiveGame:
    """A game in progress."""

    __slots__ = (
        "bank_left",
        "bots",
        "choices",
        "choices_so_far",
        "complete_games",
        "cpu",
        "deal",
        "deciders",
        "decisions",
        "faults",
        "forfeited",
        "game",
        "missing_choices",
        "note_bytes",
        "notes",
        "number",
        "seat_of_place",
        "stale",
        "state",
        "stderr",
        "wall",
    )

    def __init__(  # noqa: PLR0913 (a game needs them all)
        self,
        number: int,
        game: Game[Any],
        deal: Deal,
        bank_ns: int,
        *,
        seating: Seating,
        bots: Sequence[SeatedBot],
        complete_games: list["LiveGame"] | None = None,
    ) -> None:
        self.number = number
        self.game = game
        self.deal = deal
        self.bots = tuple(bots[place] for place in seating)
        """The bot in each seat."""
        self.seat_of_place = [seating.index(place) for place in range(game.seats)]
        """The seat of each bot of the table."""
        self.complete_games: list[LiveGame] = [] if complete_games is None else complete_games
        """Where the game puts itself once none of its choices is missing."""
        self.state = game.start(SeededShuffle(deal.seed), deal.first)
        self.decisions: tuple[Decision, ...] = game.pending(self.state)
        self.choices = [""] * len(self.decisions)
        self.missing_choices = 0
        self.choices_so_far: list[str] = []
        """The choices that were applied."""
        self.deciders: list[int] = []
        """The seat that made each of these choices."""
        self.wall = [0] * len(self.decisions)
        self.cpu = [0] * len(self.decisions)
        self.notes: dict[int, str] = {}
        self.note_bytes = [0] * game.seats
        """Bytes of notes that each seat has written."""
        self.faults: list[Fault] = []
        self.bank_left = [bank_ns] * game.seats
        """Nanoseconds each seat has beyond those for its decisions."""
        self.forfeited: set[int] = set()
        """The seats for which the referee plays to the end."""
        self.stderr = [CapturedStderr() for _ in range(game.seats)]
        self.stale = [0] * game.seats

    def answer(  # noqa: PLR0913 (what is known of an answer)
        self,
        place: int,
        choice: str,
        *,
        wall: int = 0,
        cpu: int = 0,
        from_bank: int = 0,
        note: str | None = None,
    ) -> None:
        """Record the choice for one of the open decisions, and the nanoseconds it took.

        A stand-in choice takes no time.
        """
        number = len(self.choices_so_far) + place
        self.choices[place] = choice
        self.wall[number] = wall // 1000
        self.cpu[number] = cpu // 1000
        if from_bank:
            self.bank_left[self.decisions[place].seat] -= from_bank
        if note is not None:
            self.add_note(number, self.decisions[place].seat, note)
        self.missing_choices -= 1
        if not self.missing_choices:
            self.complete_games.append(self)

    def advance(self) -> Any:
        """Apply the choices, none of which is missing; return the state before."""
        before, choices, decided = self.state, self.choices, self.decisions
        self.state = self.game.apply(before, choices)
        self.choices_so_far += choices
        if len(decided) == 1:  # nearly always, and faster than a list
            self.deciders.append(decided[0].seat)
        else:
            self.deciders += [decision.seat for decision in decided]
        self.decisions = decisions = self.game.pending(self.state)
        self.choices = [""] * len(decisions)
        zeros = [0] * len(decisions)
        self.wall += zeros
        self.cpu += zeros
        return before

    def add_note(self, number: int, seat: int, note: str) -> None:
        """Keep a note beside a choice, as long as its seat has room for notes."""
        note = note[:MAX_NOTE_LENGTH]
        before = self.note_bytes[seat]
        self.note_bytes[seat] = after = before + len(note.encode())
        if after <= MAX_NOTES_BYTES:
            self.notes[number] = note
        elif before <= MAX_NOTES_BYTES:
            self.notes[number] = NOTES_DROPPED

    def stderr_texts(self) -> tuple[str, ...]:
        """What each seat wrote to stderr, as far as it is kept."""
        return tuple(captured.text() for captured in self.stderr)

    def record(self, *, stopped: bool = False) -> Record:
        """Return the record of the game so far."""
        count = len(self.choices_so_far)
        return Record(
            variant=self.game.variant,
            seats=self.game.seats,
            seed=self.deal.seed,
            choices=tuple(self.choices_so_far),
            first=self.deal.first,
            turn=self.deal.turn,
            bots=self.bots,
            scores=self.game.scores(self.state),
            ranks=rank_seats(self.game, self.state, self.faults),
            wall=tuple(self.wall[:count]),
            cpu=tuple(self.cpu[:count]),
            faults=tuple(self.faults),
            notes=self.notes,
            stale=tuple(self.stale) if any(self.stale) else (),
            stopped=stopped,
        )
