"""A tally: what is simply counted, bot by bot, over the blocks of one cell."""

from dataclasses import dataclass

import numpy as np

from arena.ratings.results import Floats, Ints, Results


@dataclass(frozen=True, eq=False)
class Tally:
    """One value for each bot of the run; shares are 0 for who has not played."""

    blocks: Ints
    games: Ints
    placement: Floats
    """The share of the others beaten, over all games; a tie counts half."""
    wins: Floats
    """The share of games won."""
    faults: Ints
    excuses: Ints
    decisions: Ints
    cpu: Ints
    """Microseconds of CPU time over all decisions."""


def tally(results: Results, bots: int) -> Tally:
    """Count what so many bots did in the blocks of a cell."""
    who = results.who.ravel()

    def total(values: Ints | Floats) -> Floats:
        found: Floats = np.bincount(who, values.ravel(), bots).astype(np.float64)
        return found

    def count(values: Ints) -> Ints:
        return np.rint(total(values)).astype(np.int64)

    games = count(np.broadcast_to(results.games[:, None], results.who.shape))
    played = np.maximum(games, 1)
    return Tally(
        blocks=np.bincount(who, minlength=bots).astype(np.int64),
        games=games,
        placement=total(results.placement) / played,
        wins=total(results.wins) / played,
        faults=count(results.faults),
        excuses=np.bincount(results.excused, minlength=bots).astype(np.int64),
        decisions=count(results.decisions),
        cpu=count(results.cpu),
    )
