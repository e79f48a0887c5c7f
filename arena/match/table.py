"""A game in progress: its state, the choices that are still missing, and what is written down."""

from collections.abc import Sequence
from hashlib import shake_128
from typing import Any

from msgspec import Struct

from arena.bots.stderr import Said
from arena.games.base import Decision, Game
from arena.games.seeded import Seeded
from arena.match.faults import Fault
from arena.match.record import Record, Seated, ranks
from arena.protocol.messages import LARGEST

NOTE = 1_000
"""Characters of a note that are kept."""

NOTES = 16 * 1024
"""Bytes of notes that are kept of a seat in a game."""

NO_ROOM = f"[this seat has written {NOTES >> 10} KiB of notes; the rest is dropped]"
"""Is kept in place of the first note that is dropped."""


class Deal(Struct, frozen=True):
    """Everything that chance decides in a game."""

    seed: int
    first: int = 0
    turn: int = 0
    """How often the same deal was played before in other seatings; it changes no card."""


def own_seed(deal: Deal, seat: int) -> int:
    """A number for a bot's own chance, from which nobody gets back to the deal's seed.

    It depends on the turn, so that it does not tell a bot that it has met a deal before.
    """
    turn = b"/%d" % deal.turn if deal.turn else b""
    digest = shake_128(b"stichkampf-bot-1/%d/%d" % (deal.seed, seat) + turn).digest(8)
    return int.from_bytes(digest) & LARGEST


Seating = Sequence[int]
"""For each seat, which bot of the table sits there."""


class Table:
    """A game in progress."""

    __slots__ = (
        "bank",
        "bots",
        "choices",
        "cpu",
        "deal",
        "deciders",
        "decisions",
        "faults",
        "game",
        "made",
        "missing",
        "noted",
        "notes",
        "number",
        "out",
        "said",
        "sits",
        "stale",
        "state",
        "wall",
    )

    def __init__(  # noqa: PLR0913 (a game needs them all)
        self,
        number: int,
        game: Game[Any],
        deal: Deal,
        bank: int,
        *,
        seating: Seating,
        bots: Sequence[Seated],
    ) -> None:
        self.number = number
        self.game = game
        self.deal = deal
        self.bots = tuple(bots[place] for place in seating)
        """Who sits in each seat."""
        self.sits = [seating.index(place) for place in range(game.seats)]
        """Where each bot of the table sits."""
        self.state = game.start(Seeded(deal.seed), deal.first)
        self.decisions: tuple[Decision, ...] = game.pending(self.state)
        self.choices = [""] * len(self.decisions)
        self.missing = 0
        self.made: list[str] = []
        self.deciders: list[int] = []
        """The seat that made each of these choices."""
        self.wall = [0] * len(self.decisions)
        self.cpu = [0] * len(self.decisions)
        self.notes: dict[int, str] = {}
        self.noted = [0] * game.seats
        """Bytes of notes that each seat has written."""
        self.faults: list[Fault] = []
        self.bank = [bank] * game.seats
        """Nanoseconds each seat has beyond those for its moves."""
        self.out: set[int] = set()
        """The seats that the referee plays to the end."""
        self.said = [Said() for _ in range(game.seats)]
        self.stale = [0] * game.seats

    def move_on(self) -> Any:
        """Apply the choices, all of which are there; the state before."""
        before, choices = self.state, self.choices
        self.state = self.game.apply(before, choices)
        self.made += choices
        self.deciders += [decision.seat for decision in self.decisions]
        self.decisions = decisions = self.game.pending(self.state)
        self.choices = [""] * len(decisions)
        none_yet = [0] * len(decisions)
        self.wall += none_yet
        self.cpu += none_yet
        return before

    def keep_note(self, place: int, seat: int, note: str) -> None:
        """Keep a note beside a choice, as long as its seat has room for notes."""
        note = note[:NOTE]
        before = self.noted[seat]
        self.noted[seat] = after = before + len(note.encode())
        if after <= NOTES:
            self.notes[place] = note
        elif before <= NOTES:
            self.notes[place] = NO_ROOM

    def record(self, *, stopped: bool = False) -> Record:
        """What is to be kept of it."""
        count = len(self.made)
        return Record(
            variant=self.game.variant,
            seats=self.game.seats,
            seed=self.deal.seed,
            choices=tuple(self.made),
            first=self.deal.first,
            turn=self.deal.turn,
            bots=self.bots,
            scores=self.game.scores(self.state),
            ranks=ranks(self.game, self.state, self.faults),
            wall=tuple(self.wall[:count]),
            cpu=tuple(self.cpu[:count]),
            faults=tuple(self.faults),
            notes=self.notes,
            stale=tuple(self.stale) if any(self.stale) else (),
            stopped=stopped,
        )
