"""Game events: what happens step by step, and which seats see it."""

from msgspec import Struct

from arena.cards import Card, Colour


class Event(Struct, frozen=True, kw_only=True, tag_field="event", omit_defaults=True):
    """Something that happened; `to` names the only seats that see it, None is everybody."""

    to: tuple[int, ...] | None = None

    def is_visible_to(self, seat: int) -> bool:
        """Whether this seat sees it."""
        return self.to is None or seat in self.to


class RoundBegan(Event, frozen=True, tag="round-began"):
    """A round begins; `leader` leads its first trick."""

    round: int
    leader: int


class Dealt(Event, frozen=True, tag="dealt"):
    """A seat has got its hand."""

    seat: int
    cards: tuple[Card, ...]


class LeftOver(Event, frozen=True, tag="left-over"):
    """Cards that could not be dealt evenly are shown and set aside for the round."""

    cards: tuple[Card, ...]


class Designated(Event, frozen=True, tag="designated"):
    """A seat has laid down the cards that name its special colours."""

    seat: int
    cards: tuple[Card, ...]


class Revealed(Event, frozen=True, tag="revealed"):
    """Designating cards that lay face down are turned up."""

    seat: int
    cards: tuple[Card, ...]


class Named(Event, frozen=True, tag="named"):
    """A seat has named its special colours after the last trick."""

    seat: int
    colours: tuple[Colour, ...]


class Played(Event, frozen=True, tag="played"):
    """A card was played to the trick."""

    seat: int
    card: Card


class Passed(Event, frozen=True, tag="passed"):
    """A card was shown and laid down as a pass (Hat Trick)."""

    seat: int
    card: Card


class Took(Event, frozen=True, tag="took"):
    """A seat took these cards of the trick."""

    seat: int
    cards: tuple[Card, ...]


class SetAside(Event, frozen=True, tag="set-aside"):
    """Nobody took the trick; its cards are out for the round."""

    cards: tuple[Card, ...]


class Scored(Event, frozen=True, tag="scored"):
    """The round is over: the points of each seat in it, and the scores since the start."""

    points: tuple[int, ...]
    scores: tuple[int, ...]


class TokensShown(Event, frozen=True, tag="tokens-shown"):
    """The task tokens lie open, and `dealer` is to take the first (Was sticht)."""

    dealer: int
    tasks: tuple[str, ...]


class TokenTaken(Event, frozen=True, tag="token-taken"):
    """A seat took a task token from the table (Was sticht)."""

    seat: int
    task: str


class LaidOut(Event, frozen=True, tag="laid-out"):
    """The cards of a round lie open in columns (Was sticht)."""

    columns: tuple[tuple[Card, ...], ...]


class TrumpsShown(Event, frozen=True, tag="trumps-shown"):
    """The trumps of the round: first the dealer sees them, after the draft everybody does."""

    colour: Colour | None
    number: int | None


class Picked(Event, frozen=True, tag="picked"):
    """A seat took a card from the column; the seat after the last one is the ghost."""

    seat: int
    card: Card


class Hinted(Event, frozen=True, tag="hinted"):
    """The dealer says who would have won the column as a trick."""

    seat: int


class TaskChosen(Event, frozen=True, tag="task-chosen"):
    """A seat's task for this round, shown together with the others'."""

    seat: int
    task: str


class TaskJudged(Event, frozen=True, tag="task-judged"):
    """Whether a seat has fulfilled its task, and whether the dealer's tricks fulfil it too."""

    seat: int
    task: str
    fulfilled: bool
    by_dealer: bool


class Discarded(Event, frozen=True, tag="discarded"):
    """A seat is rid of a task token."""

    seat: int
    task: str


class Ended(Event, frozen=True, tag="ended"):
    """The game is over."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
