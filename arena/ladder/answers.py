"""Answers: what a submission is told of its steps, with what shows it."""

from dataclasses import dataclass

from msgspec import structs

from arena.conformance.check import Outcome
from arena.ladder.facts import Said, Version
from arena.ladder.placement import Placed
from arena.ratings.standings import Line


@dataclass(frozen=True)
class Accepted:
    """A submission that became a version."""

    version: Version
    line: Line | None
    """How it stands so far."""
    ranked: int
    """Among how many."""


def step_of(outcome: Outcome) -> Said:
    """A step of the check."""
    text = f"{outcome.says}: {outcome.text}" if outcome.text else outcome.says
    evidence = {} if outcome.passed else evidence_of(outcome)
    step = f"check {outcome.step}"
    return Said(step=step, passed=outcome.passed, text=text, evidence=evidence)


def evidence_of(outcome: Outcome) -> dict[str, str]:
    """What shows that a step failed."""
    found = {"clause": outcome.clause, "request": outcome.request, "reply": outcome.reply}
    found["stderr"] = outcome.stderr
    return {key: text for key, text in found.items() if text}


def fault_evidence(placed: Placed) -> dict[str, str]:
    """What shows the first fault."""
    if placed.fault is None:
        return {}
    told = structs.asdict(placed.fault.evidence)
    return {key: str(told[key]) for key in ("request", "reply", "stderr") if told[key]}


def rows(placed: Placed) -> list[list[str]]:
    """How it did against each reference bot."""
    titles = ["opponent", "games", "ahead", "points a game"]
    return [
        titles,
        *(
            [
                one.opponent,
                str(one.games),
                f"{100 * one.ahead / one.games:.0f} %",
                f"{one.points:+.1f}",
            ]
            for one in placed.meetings
        ),
    ]


def summary(accepted: Accepted) -> str:
    """What an accepted version is told."""
    line = accepted.line
    if line is None or line.rank is None or line.ranks is None:
        missing = f" in {len(line.missing)} of the cells" if line and line.missing else ""
        return f"accepted as {accepted.version.bot}; it has no rank before it has played{missing}"
    best, worst = line.ranks
    span = f"{best}" if best == worst else f"{best} to {worst}"
    return (
        f"accepted as {accepted.version.bot}: rank {line.rank} of {accepted.ranked} so far, in "
        f"truth {span}; rating {line.mu:.1f} ± {line.margin or 0:.1f}"
    )
