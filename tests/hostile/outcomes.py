"""What came of attacks, and the table of all of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.hostile.cases import Case

PROPERTY = "outcome of an attack"


@dataclass(frozen=True)
class Outcome:
    """What came of an attack, as `runner` tells it."""

    name: str
    faults: list[tuple[int, str, str]]
    """Its own."""
    said: str
    paid: list[tuple[int, str, str]]
    """The faults of the innocent."""
    same: bool
    """Whether all choices are those of a game without the attack."""
    ranks: list[list[int]]
    """Those of the innocent, game by game."""
    scores: list[list[int]]
    seconds: float
    late: float
    """How late a thread of the test woke at worst, in seconds."""
    groups: list[str]

    def verdict(self) -> str:
        """The faults in one word, or what was seen instead."""
        if "BREACH" in self.said:
            return "BREACH"
        return ", ".join(sorted({kind for _, kind, _ in self.faults})) or "plays on"


def record_outcome(
    keep: Callable[[str, object], None], case: Case, who: str, level: str, found: Outcome
) -> None:
    """Record the outcome of an attack for the table."""
    where = f"{who}, {level}"
    keep(PROPERTY, [case.group, case.name, where, found.verdict(), found.seconds, found.late])


def outcome_table(properties: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the table of all outcomes, a line for each attack."""
    rows: dict[tuple[str, str], dict[str, tuple[str, float, float]]] = {}
    for name, value in properties:
        if name == PROPERTY:
            group, attack, where, verdict, seconds, late = value
            rows.setdefault((group, attack), {})[where] = (verdict, seconds, late)
    places = sorted({where for found in rows.values() for where in found})
    lines = ["attack".ljust(34)]
    for where in places:
        lines[0] += f"{where:22}{'s':>5} {'ms late':>8}  "
    for (group, attack), found in sorted(rows.items()):
        line = f"{group + ': ' + attack:34}"
        for where in places:
            if where in found:
                verdict, seconds, late = found[where]
                line += f"{verdict:22}{seconds:5.1f} {late * 1000:8.0f}  "
            else:
                line += f"{'-':38}"
        lines.append(line.rstrip())
    return lines if rows else []
