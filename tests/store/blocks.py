"""Blocks for tests: real games played at random, in every rotation of the seats."""

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from arena.games.base import Decision
from arena.games.catalog import variant
from arena.games.replay import play_game, replay_game
from arena.referee.faults import Fault
from arena.referee.record import Record, SeatedBot, deciders, rank_seats
from arena.store.block import KEY_BYTES, PlayedBlock, StoredGame, game_result, pack_games
from arena.store.header import Entrant, RunHeader

BOTS = ("ann", "bob", "cleo", "dan", "eve")


def make_header(bots: Sequence[str] = BOTS, **changes: object) -> RunHeader:
    """Return the header of a run of these bots."""
    entrants = tuple(Entrant(name, "1", str(Path("/bots") / name)) for name in bots)
    usual = RunHeader(
        name="friday",
        text="name: friday\n",
        settings={"deals": 3},
        seed="secret",
        commitment="bound",
        bots=entrants,
        rating={"standing": "score"},
        created="2025-01-01T00:00:00+00:00",
    )
    return replace(usual, **changes)


def make_record(
    name: str,
    seed: int,
    bots: Sequence[str],
    *,
    luck: int = 0,
    cpu: int = 50,
    faults: tuple[Fault, ...] = (),
) -> Record:
    """Return the record of a game with random choices, drawn from `luck`."""
    game, chance = variant(name).game(len(bots)), random.Random(f"{seed}/{luck}/{bots}")

    def choose(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        return [chance.choice(decision.options) for decision in decisions]

    played = play_game(game, seed, choose)
    *_, last = replay_game(played)
    count = len(played.choices)
    return Record(
        variant=game.variant,
        seats=len(bots),
        seed=seed,
        choices=played.choices,
        bots=tuple(SeatedBot(bot, "1") for bot in bots),
        scores=game.scores(last.after),
        ranks=rank_seats(game, last.after, faults),
        wall=tuple(chance.choices(range(60, 400), k=count)),
        cpu=(cpu,) * count,
        faults=faults,
    )


def make_block(
    number: int = 0,
    name: str = "sticheln",
    bots: Sequence[str] = BOTS[:3],
    *,
    faults: tuple[Fault, ...] = (),
    cpu: int = 50,
    luck: int = 0,
) -> PlayedBlock:
    """Return a deal in all rotations, with faults in the first and choices drawn from `luck`."""
    seats = len(bots)
    digest = hashlib.sha256("/".join((name, *bots, str(number))).encode()).digest()
    seed = int.from_bytes(digest[:6])
    kept, results = [], []
    for turn in range(seats):
        seating = [(seat + turn) % seats for seat in range(seats)]
        seated = [bots[place] for place in seating]
        guilty = faults if turn == 0 else ()
        record = make_record(name, seed, seated, luck=luck, cpu=cpu, faults=guilty)
        results.append(game_result(seating, record, list(deciders(record))))
        kept.append(StoredGame(record, ("oops\n",) * seats if guilty else ()))
    return PlayedBlock(
        key=digest[:KEY_BYTES],
        variant=name,
        seats=seats,
        number=number,
        seed=seed,
        bots=tuple(bots),
        results=tuple(results),
        packed_games=pack_games(kept),
    )
