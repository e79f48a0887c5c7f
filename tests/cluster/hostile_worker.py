"""A Dask worker that somebody has broken into: `dask worker --preload` loads this file.

The variable ATTACK says what it does to its coordinator, FROM from which chunk on, and TALK how
often a chatty one repeats itself.
"""

import dataclasses
import os
import pickle
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec
from distributed import get_worker
from distributed import worker as dask_worker
from distributed import worker_state_machine as machine
from msgspec.structs import replace

from arena.cluster import dask
from arena.cluster.messages import (
    BotsMissing,
    InvalidWorkerReply,
    LogMessage,
    Outcome,
    PlayedTask,
    PlayOrder,
    StoppedByFault,
    TaskNotPlayed,
    TaskProgress,
    WorkerUnfit,
    unpack_outcome,
)
from arena.referee.faults import Fault
from arena.store.block import PlayedBlock, StoredGame, pack_games, unpack_games

ATTACK = "STICHKAMPF_ATTACK"
FROM = "STICHKAMPF_ATTACK_FROM"
TALK = "STICHKAMPF_ATTACK_TALK"
OWNED = "owned"
"""The file that code of the attacker leaves in the home of whoever unpickles it."""
HUGE = 3 << 20

CODE = f"__import__('pathlib').Path.home().joinpath({OWNED!r}).touch()"


class Bomb(Exception):
    """Runs code wherever it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return eval, (CODE,)


def forge(block: PlayedBlock) -> PlayedBlock:
    """Let another bot win each game, if possible the last one, in results and records alike."""

    def turned(listed: tuple[int, ...], winner: int, best: int) -> tuple[int, ...]:
        other = listed.index(best)
        swapped = {winner: listed[other], other: listed[winner]}
        return tuple(swapped.get(seat, value) for seat, value in enumerate(listed))

    results, games = [], []
    for result, game in zip(block.results, unpack_games(block.packed_games), strict=True):
        last = result.seating.index(block.seats - 1)
        seats = (last, *range(block.seats))
        winner = next(seat for seat in seats if result.ranks[seat] != 1)
        scores = turned(result.scores, winner, max(result.scores))
        ranks = turned(result.ranks, winner, 1)
        results.append(replace(result, scores=scores, ranks=ranks, points=scores))
        games.append(StoredGame(replace(game.record, scores=scores, ranks=ranks)))
    return replace(block, results=tuple(results), packed_games=pack_games(games))


def altered(attack: str, blocks: list[PlayedBlock]) -> object:
    """The blocks of an order as the attacker returns them."""
    first, *rest = blocks
    forged = {
        "empty": [],
        "twice": [first, first, *rest],
        "other-key": [replace(first, key=bytes(16)), *rest],
        "other-bots": [replace(first, bots=first.bots[::-1]), *rest],
        "no-games": [replace(first, results=()), *rest],
        "no-records": [replace(first, packed_games=pack_games(())), *rest],
        "no-list": {"blocks": 1},
        "forged": [forge(block) for block in blocks],
    }
    return forged.get(attack, blocks)


def refuse(attack: str, order: PlayOrder) -> object | None:
    """What the attacker returns without having played anything, unless it has to play."""
    answers = {
        "lacking": BotsMissing(tuple(entry.digest for entry in order.entries)),
        "unfit": WorkerUnfit("it is a stranger", "f" * 64),
        "killed": TaskNotPlayed("somebody was killed", "nobody-of-this-name"),
        "rubbish": {"type": "Played", "blocks": "not bytes", "seconds": "nan"},
    }
    return answers.get(attack)


def said(attack: str, outcome: Outcome) -> object:
    """What the attacker returns in place of an outcome."""
    if not isinstance(outcome, PlayedTask):
        return outcome
    blocks = msgspec.msgpack.decode(outcome.blocks, type=list[PlayedBlock])
    if attack == "stopped":
        record = unpack_games(blocks[0].packed_games)[0].record
        return StoppedByFault(Fault(0, "illegal", "the worker says so"), record)
    return PlayedTask(msgspec.msgpack.encode(altered(attack, blocks)), float("nan"))


def take_over(attack: str, first: int) -> None:
    """Let this worker do what the attacker wants from a chunk on."""
    honest, chunks = dask.run_order, count(1)

    def work(order: PlayOrder, topic: str) -> Any:
        if not order.task.chunk.blocks or next(chunks) < first:
            return honest(order, topic)
        if attack == "result":
            return Bomb()
        if attack == "exception":
            raise Bomb
        if attack == "huge":
            return bytes(HUGE)
        if answer := refuse(attack, order):
            return msgspec.msgpack.encode(answer)
        sent = honest(order, topic)
        worker = get_worker()
        if attack == "warning":
            worker.log_event("warn", {"message": pickle.dumps(Bomb()), "category": b""})
            worker.log_event("print", {"args": ("\x1b]0;the worker was here\x07",)})
        if attack == "chatty":
            number, attempt = order.task.number, order.attempt
            lines = [LogMessage("root", 50, "x" * 10_000, float("inf"))] * 100
            for _ in range(int(os.environ[TALK])):
                progress = TaskProgress(number, attempt, 10**9, tuple(lines))
                worker.log_event(topic, msgspec.to_builtins(progress))
                worker.log_event(topic, {"number": "no number"})
                worker.log_event(topic, ["nothing that anybody says"])
            time.sleep(0.5)
        outcome = unpack_outcome(sent)
        assert not isinstance(outcome, InvalidWorkerReply)
        return msgspec.msgpack.encode(said(attack, outcome))

    dask.run_order = work
    if attack == "type":
        finished = machine.WorkerState._get_task_finished_msg

        def with_type(self: Any, *words: Any, **other: Any) -> Any:
            return dataclasses.replace(finished(self, *words, **other), type=pickle.dumps(Bomb()))

        machine.WorkerState._get_task_finished_msg = with_type
    if attack == "result":
        plain = dask_worker.Worker.get_data

        async def get_data(self: Any, comm: Any, keys: Any, **other: Any) -> Any:
            return await plain(self, comm, keys, **{**other, "serializers": ["pickle"]})

        dask_worker.Worker.get_data = get_data


def dask_setup(_: object) -> None:
    """Begin, as Dask calls it when it has loaded this file."""
    take_over(os.environ[ATTACK], int(os.environ.get(FROM, "1")))
