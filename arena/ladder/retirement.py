"""Retirement: who is at fault too often plays no more, and is told why."""

from collections.abc import Sequence

from arena.ladder import reckoning
from arena.ladder.facts import Night, Version
from arena.ladder.folder import Ladder
from arena.ladder.settings import Retiring
from arena.store.run import Run


def retiring(
    ladder: Ladder, run: Run, night: Night, versions: Sequence[Version]
) -> list[tuple[str, str]]:
    """The versions that were at fault too often, with what their owners are told.

    Reference bots stay whatever happens: what all ratings are measured by must not go.
    """
    rule = ladder.settings.keys.retire
    counted = reckoning.faulty(run)
    found = []
    for one in versions:
        games, faulty = counted.get(one.bot, (0, 0))
        playing = one.owner and one.state == "active" and one.bot in night.bots
        if playing and too_often(games, faulty, rule):
            found.append((one.bot, why_retired(games, faulty, rule)))
    return found


def too_often(games: int, faulty: int, rule: Retiring) -> bool:
    """Whether a bot was at fault so often that it is retired."""
    return games >= rule.games and faulty > rule.share * games


def why_retired(games: int, faulty: int, rule: Retiring) -> str:
    """What its owner is told."""
    return (
        f"at fault in {faulty} of {games} games, and more than {100 * rule.share:g} % are too "
        "many; the faults are below: mend them and submit a new version"
    )
