"""A process that keeps adding blocks to a run and prints how many are safe."""

import hashlib
import sys
from itertools import count
from pathlib import Path

from arena.store.block import KEY_BYTES, GameResult, PlayedBlock, pack_games
from arena.store.run import Run

SEATINGS = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def make_numbered_block(number: int) -> PlayedBlock:
    """Return a block without real games, which is made quickly."""
    key = hashlib.sha256(b"%d" % number).digest()
    scores = tuple(key[16:19])
    ranks = tuple(1 + sum(other > own for other in scores) for own in scores)
    nothing = (0, 0, 0)
    results = tuple(
        GameResult(seating, scores, ranks, scores, nothing, (75, 75, 75), (number, 1, 2))
        for seating in SEATINGS
    )
    return PlayedBlock(
        key[:KEY_BYTES],
        "sticheln",
        3,
        number,
        number,
        ("ann", "bob", "cleo"),
        results,
        pack_games(()) * 40,
    )


def main(folder: Path, first: int, *, batch: int = 4) -> None:
    """Add blocks from this number on until somebody puts an end to it."""
    with Run.open_for_writing(folder) as run:
        run.begin_session("code", 1)
        for number in count(first, batch):
            run.add([make_numbered_block(number + more) for more in range(batch)])
            print(number + batch, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
