"""The certificate of a run: whether what was played was fair, over some of its cells."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from arena.ratings.fairness import Balance, Fairness, What
from arena.report.remarks import counted


class Kind(NamedTuple):
    """A respect in which a tournament is fair or not."""

    title: str
    short: str
    hint: str


KINDS: Final[dict[What, Kind]] = {
    "deals": Kind(
        "deals of each bot", "deals", "Deals that each bot played: even if all played as many"
    ),
    "pairs": Kind(
        "deals of each two",
        "pairs",
        "Deals that each two played at one table: even if any two met as often",
    ),
    "seats": Kind(
        "games in each seat",
        "seats",
        "Games of each bot in each seat: even if each sat everywhere as often",
    ),
    "neighbours": Kind(
        "games beside each",
        "left",
        "Games of each bot with each other on its left: even if each had everybody as often",
    ),
}


class Line(NamedTuple):
    """One respect, over some cells."""

    what: str
    balanced: bool
    where: str
    """In how many cells, where it is not the same in all."""
    often: str


def certificate(found: Sequence[Fairness], respects: Iterable[What] = KINDS) -> list[Line]:
    """What each respect comes to, of all or of some."""
    lines = []
    for what in respects:
        balances = [one.of(what) for one in found]
        even = sum(one.balanced for one in balances)
        where = (
            "" if even in {0, len(found)} else f", but in {even} of {counted(len(found), 'cell')}"
        )
        least = min((one.least for one in balances), default=0)
        most = max((one.most for one in balances), default=0)
        spans = {often(one) for one in balances}
        told = spans.pop() if len(spans) == 1 else f"{least:,} to {most:,}, by cell"
        lines.append(Line(KINDS[what].title, even == len(found), where, told))
    return lines


def often(balance: Balance) -> str:
    """From the least to the most."""
    if balance.least == balance.most:
        return f"{balance.least:,} each"
    return f"{balance.least:,} to {balance.most:,}"
