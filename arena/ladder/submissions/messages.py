"""Messages to the sender about the steps of a submission, with evidence."""

from dataclasses import dataclass

from msgspec import structs

from arena.conformance.check import StepResult
from arena.ladder.models import SubmissionMessage, Version
from arena.ladder.submissions.placement import PlacementResult
from arena.ratings.standings import StandingsLine


@dataclass(frozen=True)
class AcceptedVersion:
    """A submission that became a version."""

    version: Version
    line: StandingsLine | None
    """How it stands so far."""
    rank_count: int
    """Among how many."""


def step_message(outcome: StepResult) -> SubmissionMessage:
    """The message about a step of the check."""
    text = f"{outcome.says}: {outcome.text}" if outcome.text else outcome.says
    evidence = {} if outcome.passed else step_evidence(outcome)
    step = f"check {outcome.step}"
    return SubmissionMessage(step=step, passed=outcome.passed, text=text, evidence=evidence)


def step_evidence(outcome: StepResult) -> dict[str, str]:
    """The evidence that a step failed."""
    found = {"clause": outcome.clause, "request": outcome.request, "reply": outcome.reply}
    found["stderr"] = outcome.stderr
    return {key: text for key, text in found.items() if text}


def fault_evidence(placed: PlacementResult) -> dict[str, str]:
    """The evidence of the first fault."""
    if placed.first_fault is None:
        return {}
    fields = structs.asdict(placed.first_fault.evidence)
    return {key: str(fields[key]) for key in ("request", "reply", "stderr") if fields[key]}


def opponent_table(placed: PlacementResult) -> list[list[str]]:
    """A table of the results against each opponent."""
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
            for one in placed.opponents
        ),
    ]


def accepted_text(accepted: AcceptedVersion) -> str:
    """The text of the message that a version was accepted."""
    line = accepted.line
    if line is None or line.rank is None or line.ranks is None:
        missing = f" in {len(line.missing)} of the cells" if line and line.missing else ""
        return f"accepted as {accepted.version.bot}; it has no rank before it has played{missing}"
    best, worst = line.ranks
    span = f"{best}" if best == worst else f"{best} to {worst}"
    return (
        f"accepted as {accepted.version.bot}: rank {line.rank} of {accepted.rank_count} so far, in "
        f"truth {span}; rating {line.mu:.1f} ± {line.margin or 0:.1f}"
    )
