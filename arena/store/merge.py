"""Merges several runs of the same plan into one; their order does not matter."""

import heapq
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import combinations, groupby, islice, repeat
from operator import itemgetter
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arena.bots.digest import is_same_version
from arena.store import excuses
from arena.store.block import GameResult, PlayedBlock
from arena.store.database import BadRun, explain_errors, transaction
from arena.store.header import RunHeader, canonical_json, sync_folder
from arena.store.reading import Session
from arena.store.run import Run
from arena.store.writing import comparable_block, comparable_results

BATCH_SIZE: Final = 256
"""Blocks that are stored in one transaction."""

MAX_NAMED_CONFLICTS: Final = 100
"""Limit for the conflicts that are listed; all are counted."""

SessionIds = dict[Session | None, int | None]
"""The row id of each session in the new run."""


class MergeConflict(Struct, frozen=True):
    """A block with another result in another run."""

    block: str
    """Its key in hexadecimal digits."""
    variant: str
    bots: tuple[str, ...]
    kept: str
    """The run whose result counts."""
    results: tuple[GameResult, ...]
    dropped: str
    """The run whose result is stored apart."""
    others: tuple[GameResult, ...]


class MergeResult(Struct):
    """The counts of a merge."""

    blocks: int = 0
    games: int = 0
    duplicates: int = 0
    """Blocks with the same result in more than one run, each time but the first."""
    conflicts: int = 0
    named: list[MergeConflict] = []


class SourceBlock(Struct, frozen=True):
    """A block and the run it comes from."""

    block: PlayedBlock
    session: Session | None
    run: Run

    def order_key(self) -> tuple[bytes, bytes]:
        """Sort key of the results of a block, of which the first counts; the same in any order."""
        return msgspec.json.encode(self.block.results), self.block.packed_games


def merge_runs(folders: Sequence[Path], out: Path) -> MergeResult:
    """Merge runs into a new one, completely or not at all."""
    if out.exists():
        raise BadRun(f"{out} is there already; name a folder that is not")
    with ExitStack() as stack:
        runs = [stack.enter_context(Run.open(folder)) for folder in folders]
        for one, other in combinations(runs, 2):
            check_same_plan(one, other)
        parent = out.absolute().parent
        try:
            parent.mkdir(parents=True, exist_ok=True)
            unfinished = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=parent))
            unfinished.chmod(0o755)
        except OSError as error:
            raise BadRun(f"{out} cannot be made: {error.strerror}") from error
        try:
            merged = fill_run(unfinished, runs)
            unfinished.rename(out)
            sync_folder(parent)
        except OSError as error:
            raise BadRun(f"{out} cannot be made: {error.strerror}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)  # missing if it was renamed
    return merged


def check_same_plan(first: Run, other: Run) -> None:
    """Reject runs of different plans; the error lists the differences."""
    differences = list(find_differences(first.header, other.header))
    if differences:
        raise BadRun(
            f"{first.folder} and {other.folder} are not of the same plan: {'; '.join(differences)}"
        )


def find_differences(first: RunHeader, other: RunHeader) -> Iterator[str]:
    """Yield the differences of two headers, apart from what no game depends on."""
    if first.seed != other.seed:
        yield "their seeds differ"
    for key in sorted(first.settings.keys() | other.settings.keys()):
        one, two = (canonical_json(header.settings.get(key)) for header in (first, other))
        if one != two and key not in {"bots", "seed"}:
            yield f"{key!r} is {one} in the first and {two} in the second"
    before, now = ({bot.name: bot for bot in header.bots} for header in (first, other))
    for name in sorted(before.keys() ^ now.keys()):
        yield f"the bot {name!r} is only in the {'first' if name in before else 'second'}"
    for name in sorted(before.keys() & now.keys()):
        if not is_same_version(before[name].version, now[name].version):
            yield (
                f"the bot {name!r} is version {before[name].short_version} in the first and "
                f"{now[name].short_version} in the second"
            )


def fill_run(folder: Path, runs: Sequence[Run]) -> MergeResult:
    """Write the blocks of all runs into a new one, in the order of their keys."""
    merged = MergeResult()
    sessions = sorted({one for run in runs for one in run.sessions()}, key=canonical_json)
    header = min((run.header for run in runs), key=header_order_key)
    with Run.create(folder, header) as out, explain_errors(out.file):
        session_ids: SessionIds = {None: None}
        with transaction(out.connection):
            session_ids |= {one: out.writer.add_session(one) for one in sessions}
        groups = group_blocks(runs)
        while batch := list(islice(groups, BATCH_SIZE)):
            with transaction(out.connection):
                for group in batch:
                    write_group(out, group, session_ids, merged)
        with transaction(out.connection):
            for run in runs:
                copy_conflicts(out, run, session_ids)
            # An excuse that two copies of one run both have counts once.
            for excuse in sorted(
                {one for run in runs for one in run.excuses()}, key=canonical_json
            ):
                bot = out.writer.bot_ids[excuse.bot]
                excuses.insert_excuse(out.connection, excuse, bot, session_ids[excuse.session])
    return merged


def header_order_key(header: RunHeader) -> tuple[int, str]:
    """Sort key of headers: whole digests come before those of old runs, which have 12 digits."""
    return -sum(len(bot.version) for bot in header.bots), canonical_json(header)


def group_blocks(runs: Sequence[Run]) -> Iterator[list[SourceBlock]]:
    """Yield each block with the runs that have it, in the order of the keys."""
    keys = heapq.merge(*(zip(run.sorted_keys(), repeat(at)) for at, run in enumerate(runs)))
    for key, group in groupby(keys, key=itemgetter(0)):
        yield [
            SourceBlock(runs[at].block(key), runs[at].session_of(key), runs[at]) for _, at in group
        ]


def write_group(
    out: Run, group: Sequence[SourceBlock], session_ids: SessionIds, merged: MergeResult
) -> None:
    """Store one of the results of a block, and apart from it those that contradict it."""
    first, *others = sorted(group, key=SourceBlock.order_key)
    block, writer = first.block, out.writer
    writer.session_id = session_ids[first.session]
    writer.insert(block)
    merged.blocks += 1
    merged.games += len(block.results)
    for other in others:
        if comparable_block(other.block) == comparable_block(block):
            merged.duplicates += 1
            continue
        writer.session_id = session_ids[other.session]
        writer.add_conflict(block.key, other.block.results, other.block.packed_games)
        merged.conflicts += 1
        if len(merged.named) < MAX_NAMED_CONFLICTS:
            merged.named.append(
                MergeConflict(
                    block=block.key.hex(),
                    variant=block.variant,
                    bots=block.bots,
                    kept=str(first.run.folder),
                    results=block.results,
                    dropped=str(other.run.folder),
                    others=other.block.results,
                )
            )


def copy_conflicts(out: Run, run: Run, session_ids: SessionIds) -> None:
    """Copy the contradicting results that a run has stored before."""
    for conflict in run.contradicting_results():
        counted = out.block(conflict.key).results
        if comparable_results(conflict.results) != comparable_results(counted):
            out.writer.session_id = session_ids[conflict.session]
            out.writer.add_conflict(conflict.key, conflict.results, conflict.packed_games)
