"""The steps of a check: what a bot has to do, and the clause of the protocol that says so."""

from collections.abc import Callable
from dataclasses import dataclass

from arena.conformance import ending, playing, talking
from arena.conformance.candidate import Candidate
from arena.conformance.conversation import Conversation


@dataclass(frozen=True)
class Step:
    """Something a bot has to do."""

    name: str
    clause: str
    says: str
    run: Callable[[Candidate, Conversation], str | None]
    """Does it with a fresh process; a remark if there is one to make."""
    basic: bool = False
    """Whether there is no use in trying anything else where it fails."""


STEPS = (
    Step("handshake", "H1", "answers hello with ready", talking.handshake, basic=True),
    Step("answer", "A1", "answers a question, and only then", talking.answers, basic=True),
    Step("games", "G1", "plays games one after another", playing.one_after_another, basic=True),
    Step("speed", "T1", "answers in time", playing.speed),
    Step("id", "A1", "echoes the id of the question", talking.same_id),
    Step("unknown", "V1", "ignores what it does not know", talking.unknown_things),
    Step("spelling", "V2", "reads JSON however it is spelt", talking.other_spelling),
    Step("offer", "H4", "offers the same whenever it is started", talking.same_offer),
    Step("pieces", "F1", "waits for the rest of a line", talking.in_pieces),
    Step("no-clock", "T4", "plays without a clock", playing.no_clock),
    Step("middle", "G4", "takes over a game that is going on", playing.in_the_middle),
    Step("fault", "A5", "goes on after a fault", talking.after_a_fault),
    Step("options", "A2", "chooses from long lists of options", playing.long_lists),
    Step("interleaving", "I1", "holds as many games at once as it offers", playing.interleaved),
    Step("tables", "G2", "plays every variant with every number of players", playing.every_table),
    Step("stderr", "E1", "keeps its stderr small", talking.little_stderr),
    Step("eof", "S1", "ends when its stdin is closed, leaving nothing behind", ending.end_of_input),
    Step("sigterm", "S2", "ends at SIGTERM", ending.told_to_end),
)
"""In the order they are tried."""
